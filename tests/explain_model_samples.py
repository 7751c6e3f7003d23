"""Models of every kind that looks at images, made of parts and not trained, and an image for them."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import nn

from radcap.captioning.building import make_top
from radcap.captioning.decoders.language_model import LanguageModel
from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.opening import make_model
from radcap.captioning.models.recall import Recall
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.network import Top
from radcap.captioning.settings import ConditionSettings, DecoderSettings, GenerateSettings
from radcap.captioning.system import CaptionSystem
from radcap.captioning.tokens import BpeTokenizer, train_bpe
from radcap.captioning.writer import Writer
from radcap.datasets import Dataset
from radcap.datasets.synthetic import synthetic
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.retrieval import NeighbourIndex, Retrieval
from radcap.vision.backbones import Backbone
from radcap.vision.heads import make_head
from radcap.vision.network import Network
from radcap.vision.pictures import View
from radcap.vision.settings import HeadSettings, ImageSettings
from radcap.vision.training.devices import Place

torch.set_num_threads(1)  # networks this small only wait for threads

XRAY, CHEST, PNEUMONIA, EFFUSION = "C1306645", "C0817096", "C0032285", "C0032227"
NAMES = {XRAY: "Plain x-ray", CHEST: "Chest", PNEUMONIA: "Pneumonia", EFFUSION: "Pleural effusion"}
CPU = Place(torch.device("cpu"))
SIZE, WIDTH, GRID = 24, 6, 3
CAPTION = "Chest radiograph showing pneumonia."
TEXTS = (CAPTION, "Chest radiograph showing a pleural effusion.", "Radiograph of the chest: pneumonia") * 3
WRITERS: dict[str, dict[str, Any]] = {
    "lstm": {"kind": "lstm"},
    "lstm, one look": {"kind": "lstm", "attention": False},
    "gru": {"kind": "gru", "layers": 2},
    "transformer": {"kind": "transformer", "layers": 2},
    "prefix": {"kind": "prefix", "layers": 2},
}


def backbone(seed: int = 0, size: int = SIZE, width: int = WIDTH) -> Backbone:
    """From pixels of a size to a map of 3 x 3."""
    torch.manual_seed(seed)
    step = size // GRID
    body = nn.Sequential(nn.Conv2d(3, width, step, stride=step), nn.ReLU())
    return Backbone(body, width, (128.0,) * 3, (48.0,) * 3).eval()


def detector(
    *, seed: int = 0, size: int = SIZE, labels: tuple[str, ...] = tuple(NAMES), bias: float = 3.0, **more: Any
) -> NetworkModel:
    """Decides for all labels, unless its bias is below zero."""
    looks = backbone(seed, size)
    network = Network(looks, make_head(HeadSettings(), looks.width, len(labels))).eval()
    with torch.no_grad():
        network.head.get_parameter("linear.bias").fill_(bias)
    names = {cui: NAMES[cui] for cui in labels}
    return NetworkModel(labels, names, network, View(ImageSettings(size=size)), CPU, **more)


TRUTH = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0]], np.bool_)


@cache
def index(metric: Any = "cosine", width: int = WIDTH) -> NeighbourIndex:
    """Five images; nobody has an effusion."""
    vectors = np.random.default_rng(4).random((len(TRUTH), width)).astype(np.float32)
    ids = [f"train-{number}" for number in range(len(TRUTH))]
    return NeighbourIndex.of(vectors, ids, tuple(NAMES), TRUTH, metric=metric)


def retrieving(rule: str = "weighted", k: int = 3, **more: Any) -> NetworkModel:
    """Neighbours answer in place of the head."""
    return detector(retrieval=Retrieval(rule=rule, k=k), index=index(), **more)


@cache
def tokenizer() -> BpeTokenizer:
    return train_bpe(TEXTS, 300)


def _lively(module: nn.Module) -> None:
    """Weights under which image and hints matter."""
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.3)


def writer(
    kind: str = "transformer",
    *,
    reads: NetworkModel | None = None,
    apart: bool = False,
    recall: Recall | None = None,
    decoder: dict[str, Any] | None = None,
    generate: GenerateSettings | None = None,
    **condition: Any,
) -> WriterModel:
    """A captioner with random weights; it leans on a detector where one is given."""
    settings = {"width": 8, "layers": 1, "heads": 2, "factor": 2.0, "longest": 40, "drop": 0.0}
    system = CaptionSystem(
        name="sample",
        task="captions",
        image=ImageSettings(size=SIZE),
        decoder=DecoderSettings(**(settings | WRITERS[kind] | (decoder or {}))),
        condition=ConditionSettings(**condition),
        generate=generate or GenerateSettings(method="greedy", longest=12),
    )
    own = backbone(7, width=WIDTH + 1) if reads is None or apart else None
    view = reads.view if reads is not None and own is None else View(system.image)
    eyes = Eyes(CPU, view, own, reads)
    names = {} if reads is None else reads.names
    torch.manual_seed(1)
    top = make_top(system, tokenizer(), tuple(names), eyes.width).eval()
    _lively(top)
    return make_model(system, eyes, top, tokenizer(), names, recall=recall)


def language_writer() -> WriterModel:
    """A captioner whose decoder is a tiny language model with random weights, with concepts told."""
    from captioning_samples_lm import tiny_model

    reads, words = detector(), tokenizer()
    model = tiny_model(vocab_size=words.size, num_hidden_layers=1)
    system = CaptionSystem(
        name="sample",
        task="captions",
        decoder=DecoderSettings(kind="lm"),
        condition=ConditionSettings(concepts="all"),
        generate=GenerateSettings(method="greedy", longest=8),
    )
    torch.manual_seed(1)
    top = Top(Writer(LanguageModel(model, words.size), WIDTH, len(NAMES), pad=words.pad)).eval()
    return make_model(system, Eyes(CPU, reads.view, None, reads), top, words, NAMES)


@cache
def photo(width: int = 40, height: int = 30) -> bytes:
    """An image of noise and a bright corner, as PNG."""
    pixels = np.random.default_rng(0).integers(0, 120, (height, width, 3), np.uint8)
    pixels[: height // 2, : width // 2] += 120
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


@cache
def some_images() -> Dataset:
    return synthetic(3, size=32, concepts=40)
