"""Caption systems and datasets so small that a test can train them, over a backbone of three convolutions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch
from dataset_samples import dataset_of, png, row
from torch import nn

from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.settings import (
    CaptionTrainSettings,
    DecoderSettings,
    GenerateSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.training import train_captions
from radcap.datasets import Dataset
from radcap.datasets.synthetic import Faults, synthetic
from radcap.detection.models import ModelFolder
from radcap.detection.system import ConceptSystem
from radcap.detection.talk import Talk
from radcap.detection.training import train_system
from radcap.vision.backbones import Backbone
from radcap.vision.blocks import BACKBONES
from radcap.vision.settings import BackboneSettings, ImageSettings, TrainSettings
from radcap.vision.training import Place
from radcap.vision.weight_files import read_weight_file

__all__ = [
    "CPU",
    "TINY",
    "WIDTH",
    "Heard",
    "Killed",
    "captioner",
    "detector",
    "drawn",
    "killer",
    "known_backbone",
    "make_tiny",
    "same_weights",
    "taught",
    "two_colours",
]

CPU = Place(torch.device("cpu"))
SIZE, WIDTH = 32, 12
TINY = "tiny-of-the-tests"


def make_tiny(settings: BackboneSettings, *, size: int) -> Backbone:
    """A feature map of an eighth of the image."""
    layers: list[nn.Module] = []
    for before, after in ((3, 8), (8, 8), (8, WIDTH)):
        layers += [nn.Conv2d(before, after, 3, 2, 1), nn.BatchNorm2d(after), nn.ReLU()]
    return Backbone(nn.Sequential(*layers), WIDTH, [127.0] * 3, [64.0] * 3)


@pytest.fixture(scope="module", autouse=True)
def known_backbone() -> Iterator[None]:
    """The backbone goes by a name, decoding starts no processes, and no thread waits for another."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with (
        mock.patch.dict(BACKBONES.table, {TINY: f"{__name__}:make_tiny"}),
        mock.patch("radcap.datasets.images.cache.default_workers", return_value=1),
    ):
        yield
    torch.set_num_threads(threads)


@cache
def drawn(images: int = 48, seed: int = 0, **faults: int) -> Dataset:
    """Train, valid and test with composed captions; faults are planted in test."""
    return synthetic(images, seed=seed, size=SIZE, concepts=30, faults=Faults(**faults))


@cache
def two_colours(images: int = 48) -> Dataset:
    """Bright images and dark ones, and captions that say which."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    for number in range(images):
        split = ("train", "train", "valid", "test")[number % 4]
        is_bright = number // 4 % 2 == 0
        colour = 200 if is_bright else 40
        files[f"{number}.png"] = png(rng.integers(colour - 30, colour + 30, (SIZE, SIZE), np.uint8))
        told = "Bright CT with pneumothorax." if is_bright else "Dark MRI of the abdomen."
        rows.append(row(str(number), split, image=f"{number}.png", captions=told))
    return dataset_of(rows, files)


def captioner(kind: str = "transformer", name: str = "tiny", **tables: Any) -> CaptionSystem:
    """A decoder of one layer; a table may be given whole, or the decoder by its keys."""
    keys = {"kind": kind, "width": 16, "layers": 1, "heads": 2, "longest": 30, "drop": 0.0}
    given: dict[str, Any] = {
        "image": ImageSettings(size=SIZE),
        "backbone": BackboneSettings(name=TINY),
        "tokenizer": TokenizerSettings(size=300),
        "train": CaptionTrainSettings(epochs=1, batch=16, lr=1e-2),
        "generate": GenerateSettings(method="greedy", longest=12),
    } | tables
    given["decoder"] = DecoderSettings(**(keys | dict(given.get("decoder", {}))))
    return CaptionSystem(name=name, task="captions", **given)


def taught(
    system: CaptionSystem, out: Path, data: Dataset | None = None, talk: Talk | None = None
) -> CaptionFolder:
    return train_captions(system, drawn() if data is None else data, out, talk or Talk())


def detector(out: Path, **tables: Any) -> ModelFolder:
    """A concept model over the same backbone."""
    given: dict[str, Any] = {
        "image": ImageSettings(size=SIZE),
        "backbone": BackboneSettings(name=TINY),
        "train": TrainSettings(epochs=2, batch=16, lr=1e-2),
    } | tables
    return train_system(ConceptSystem(name="seer", task="concepts", **given), drawn(), out, Talk())


class Heard(list[str]):
    """What training told."""

    @property
    def talk(self) -> Talk:
        return Talk(self.append)

    def has(self, words: str) -> bool:
        return any(words in one for one in self)

    def epochs(self) -> list[str]:
        return [one.partition(":")[0] for one in self if one.startswith("epoch")]


class Killed(Exception):
    """What a kill looks like from inside."""


def killer(stage: str, epoch: int) -> Talk:
    """Ends a training after an epoch of a stage."""
    now = [""]

    def tell(text: str) -> None:
        name, _, rest = text.partition(": ")
        if " over " in rest:
            now[0] = name
        if now[0] == stage and text.startswith(f"epoch {epoch} of"):
            raise Killed

    return Talk(tell)


def same_weights(one: Path, other: Path) -> bool:
    """Equal to the last bit."""
    first, second = read_weight_file(one), read_weight_file(other)
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
