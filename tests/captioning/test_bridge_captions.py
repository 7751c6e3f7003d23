"""An image told by learnt queries: what the writer reads, what joint heads look at, and a captioner of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from captioning_samples_seq2seq import save_seq2seq, t5, write_unigrams
from captioning_samples_training import TINY, captioner, drawn, known_backbone, taught
from torch import nn

import radcap
from radcap.captioning.building import bridge_settings, make_top, put_kept
from radcap.captioning.decoders import make_decoder
from radcap.captioning.decoders.seq2seq import Seq2SeqModel
from radcap.captioning.models import CaptionAnswers, CaptionFolder, open_captioner
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionTrainSettings,
    ConditionSettings,
    DecoderSettings,
    JointSettings,
)
from radcap.captioning.system_reading import read_caption_system
from radcap.captioning.tokens import open_tokenizer
from radcap.captioning.training.detectors import concept_system
from radcap.captioning.writer import AnyWriter, Writer
from radcap.core import InputError
from radcap.core.tables import parse_toml
from radcap.detection.models import Answers
from radcap.vision.bridge import Bridge
from radcap.vision.heads.bridged import BridgedHead
from radcap.vision.pictures.streaming import stream
from radcap.vision.settings import BackboneSettings, BridgeSettings, HeadSettings
from radcap.vision.weight_files import read_weight_file

__all__ = ["known_backbone"]

SEEN, WIDTH, QUERIES = 6, 16, 5
DECODER: dict[str, Any] = {"bridge": "q-former", "queries": QUERIES, "bridge_layers": 1}


def a_writer(kind: str = "transformer", grid: int = 0) -> Writer:
    torch.manual_seed(0)
    keys = {"width": WIDTH, "layers": 1, "heads": 2, "longest": 12, "drop": 0.0}
    settings = DecoderSettings(kind=kind, grid=grid, **keys, **DECODER)
    bridge = Bridge(bridge_settings(settings), SEEN)
    return Writer(make_decoder(settings, 30), SEEN, 4, pad=0, grid=grid, bridge=bridge).eval()


def features(side: int = 3) -> torch.Tensor:
    return torch.randn(2, SEEN, side, side, generator=torch.Generator().manual_seed(1))


@torch.no_grad()
@pytest.mark.parametrize("kind", ["transformer", "prefix", "gru"])
def test_the_image_is_told_in_queries_before_what_is_told_beside(kind: str) -> None:
    writer, seen = a_writer(kind), features()
    assert writer.bridge is not None
    memory = writer.memory(seen, torch.tensor([[2, -1], [0, 3]]), rows=2)
    assert memory.values.shape == (2, 1 + QUERIES + 2, WIDTH)
    assert memory.there.tolist() == [[True] * (1 + QUERIES + 1) + [False], [True] * (1 + QUERIES + 2)]
    queries = writer.bridge(seen)[..., 0].transpose(1, 2)
    torch.testing.assert_close(memory.values[:, 1 : 1 + QUERIES], writer.look(queries) + writer.kinds[0])
    tokens = torch.tensor([[1, 5, 6], [1, 7, 8]])
    bridged = writer.bridged(seen)
    torch.testing.assert_close(writer(seen, tokens), writer(seen, tokens, seen=bridged))
    torch.testing.assert_close(
        writer.memory(seen, rows=2, seen=bridged + 1).values[:, 1:],
        writer.told(bridged + 1, rows=2).values[:, 1:],
    )
    assert writer.memory(None, rows=2).values.shape == (2, 1, WIDTH)  # text alone has no image
    large = writer.memory(features(7), rows=2)
    assert large.values.shape == (2, 1 + QUERIES, WIDTH)


def test_a_writer_says_what_it_is_told() -> None:
    bare = AnyWriter(a_writer().decoder, pad=0)
    with pytest.raises(NotImplementedError):
        bare.memory(features(), rows=2)


@torch.no_grad()
def test_the_grid_is_that_of_what_queries_look_at() -> None:
    writer, large = a_writer(grid=2), features(6)
    small = nn.functional.adaptive_avg_pool2d(large, 2)
    torch.testing.assert_close(writer.bridged(large), writer.bridged(small))


def test_the_bridge_has_the_sizes_of_the_decoders_table() -> None:
    table = DecoderSettings(kind="lm", width=24, heads=3, factor=2.0, drop=0.2, grid=7, **DECODER)
    assert bridge_settings(table) == BridgeSettings(
        queries=QUERIES, layers=1, width=24, heads=3, factor=2.0, drop=0.2, grid=7
    )
    assert bridge_settings(DecoderSettings()) == BridgeSettings()


HEAD = 'name = "mine"\ntask = "captions"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[decoder]\nkind = "words"\nbridge = "q-former"\n', r"bridge is for the kinds lstm, gru, .*, lm"),
        (
            '[decoder]\nbridge = "q-former"\n[head.bridge]\nqueries = 3\n',
            r"look at the queries of .* already",
        ),
        ('[decoder]\nbridge = "q-former"\nheads = 3\n', r"Heads must divide the width"),
        ('[decoder]\nbridge = "former"\n', r"'linear' or 'q-former'|linear, q-former|bridge"),
        ("[head.bridge]\nqueries = -1\n", r"queries is -1"),
    ],
)
def test_a_bridge_that_cannot_be_is_refused(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_caption_system(parse_toml(HEAD + text))


def test_heads_may_have_bridges_of_their_own() -> None:
    system = read_caption_system(parse_toml(HEAD + "[head.bridge]\nqueries = 3\n[joint]\nconcepts = 1\n"))
    assert system.head.bridge.queries == 3
    assert concept_system(system).head == system.head


# a captioner over two frozen encoders, with a T5 that keeps its weights: AUEB/DMST 2026 and AI Stat Lab 2025


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> CaptionFolder:
    made = tmp_path_factory.mktemp("bridge")
    texts = tuple(str(one[0]["text"]) for one in drawn().table["captions"].to_pylist() if one)
    (made / "lm").mkdir()
    size = write_unigrams(made / "lm", texts)
    save_seq2seq(t5(vocabulary=size), made / "lm")
    parts = (BackboneSettings(name=TINY), BackboneSettings(name=TINY, weights="none"))
    system = captioner(
        "lm",
        backbone=BackboneSettings(name="joined", part=parts, frozen=True),
        decoder={**DECODER, "model": str(made / "lm"), "lora": 2, "grid": 3},
        data=CaptionDataSettings(min_count=2),
        joint=JointSettings(concepts=0.1, modality=0.1),
        train=CaptionTrainSettings(epochs=1, batch=16, lr=1e-2),
        condition=ConditionSettings(prompt="Describe the image."),
    )
    return taught(system, made / "m")


def test_what_is_kept_is_the_bridge_low_rank_weights_and_heads(model: CaptionFolder) -> None:
    held = read_weight_file(model.weights)
    parts = {name.split(".")[1] if name.startswith("writer.") else name.split(".")[0] for name in held}
    assert parts == {"bridge", "look", "concepts", "kinds", "nothing", "decoder", "heads"}
    assert all("lora_" in name for name in held if name.startswith("writer.decoder."))
    assert {name.split(".")[1] for name in held if name.startswith("heads.")} == {"concepts", "modality"}
    assert held["heads.concepts.linear.weight"].shape[1] == 16  # the width of the queries
    assert not model.has("tokenizer.json")  # it is the language model's own


def test_the_detector_beside_it_looks_through_the_same_bridge(model: CaptionFolder) -> None:
    system = model.concepts.system()
    assert system.head.bridge == BridgeSettings(
        queries=QUERIES, layers=1, width=16, heads=2, drop=0.0, grid=3
    )
    answers = radcap.predict(model.concepts.path, drawn(), split="test")
    assert isinstance(answers, Answers)
    assert answers.logits is not None
    opened = open_captioner(model.path)
    assert isinstance(opened, WriterModel)
    assert isinstance(opened.scribe.writer.decoder, Seq2SeqModel)
    eyes = opened.eyes
    assert eyes.detector is not None
    head = eyes.detector.network.head
    assert isinstance(head, BridgedHead)
    tokenizer = open_tokenizer(Path(model.system().decoder.model))
    top = make_top(model.system(), tokenizer, model.labels(), eyes.width)
    put_kept(read_weight_file(model.weights), top)
    top.eval()
    wanted: list[torch.Tensor] = []
    with torch.no_grad():
        for shot in stream(drawn().split("test"), eyes.view, 4):
            features = eyes.detector.network.backbone(eyes.view(shot.squares, shot.boxes))
            told = top(features, torch.full((len(shot.ids), 1), tokenizer.begin))
            queries = top.writer.bridged(features)
            assert queries.shape[1:] == (16, QUERIES, 1)
            linear = top.heads["concepts"].get_submodule("linear")
            torch.testing.assert_close(told["concepts"], linear(queries.mean(dim=(2, 3))))
            wanted.append(told["concepts"])
    np.testing.assert_allclose(answers.logits, torch.cat(wanted).numpy(), atol=2e-3)


def test_it_writes_the_same_whenever_it_is_opened(model: CaptionFolder) -> None:
    first, again = (radcap.predict(model.path, drawn(), split="test") for _ in range(2))
    assert isinstance(first, CaptionAnswers)
    assert isinstance(again, CaptionAnswers)
    assert [one.caption for one in first.lines] == [one.caption for one in again.lines]
    assert all(one.caption for one in first.lines)


def test_a_bridge_of_other_sizes_than_the_weights_is_refused(model: CaptionFolder, tmp_path: Path) -> None:
    other = CaptionFolder(model.path)
    system = model.system()
    tokenizer = open_tokenizer(Path(system.decoder.model))
    wider = replace(system, decoder=replace(system.decoder, queries=QUERIES + 1))
    top = make_top(wider, tokenizer, other.labels(), 24)
    with pytest.raises(InputError, match=r"writer.bridge.queries is another than"):
        put_kept(read_weight_file(other.weights), top)


def test_a_head_with_a_bridge_learns_concepts_too(tmp_path: Path) -> None:
    from captioning_samples_training import detector

    bridge = BridgeSettings(queries=2, layers=1, width=8, heads=2)
    folder = detector(
        tmp_path / "seer",
        head=HeadSettings(bridge=bridge),
        backbone=BackboneSettings(name=TINY, frozen=True),
    )
    answers = radcap.predict(folder.path, drawn(), split="test")
    assert isinstance(answers, Answers)
    assert any(name.startswith("head.bridge.") for name in read_weight_file(folder.weights))
    assert answers.probabilities is not None
    assert np.isfinite(answers.probabilities).all()
