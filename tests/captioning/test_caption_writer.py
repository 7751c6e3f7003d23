"""From feature maps and hints to logits: the memory, the network, its parts and its weights; and naming."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from captioning_samples_training import TINY, captioner, known_backbone, make_tiny
from torch import nn

from radcap.captioning.building import kept_weights, make_top, put_kept, task_labels
from radcap.captioning.decoders import make_decoder
from radcap.captioning.naming import claims, finding_phrases, findings_named, modalities_named
from radcap.captioning.network import CaptionNetwork, Top
from radcap.captioning.settings import DecoderSettings, JointSettings
from radcap.captioning.tokens import train_bpe
from radcap.captioning.writer import Writer
from radcap.core import InputError
from radcap.vision.heads import make_head
from radcap.vision.settings import BackboneSettings, HeadSettings

__all__ = ["known_backbone"]

SEEN, WIDTH, LABELS, PAD = 6, 16, 5, 0
TOKENIZER = train_bpe(["CT of the chest.", "MRI of the brain."], 262)
CT, XRAY, CHEST, SIDE = "C0040405", "C1306645", "C0817096", "C0205129"


def a_writer(kind: str = "transformer", grid: int = 0) -> Writer:
    torch.manual_seed(0)
    settings = DecoderSettings(kind=kind, width=WIDTH, layers=1, heads=2, longest=12, drop=0.0)
    return Writer(make_decoder(settings, 30), SEEN, LABELS, pad=PAD, grid=grid).eval()


def features(rows: int = 2, side: int = 3) -> torch.Tensor:
    return torch.randn(rows, SEEN, side, side, generator=torch.Generator().manual_seed(1))


def test_a_memory_is_one_vector_that_is_always_there_then_all_that_is_known() -> None:
    writer = a_writer()
    concepts, words = torch.tensor([[2, -1], [0, 4]]), torch.tensor([[7, 8, PAD], [9, PAD, PAD]])
    memory = writer.memory(features(), concepts, words, rows=2)
    assert memory.values.shape == (2, 1 + 9 + 2 + 3, WIDTH)
    assert memory.there.tolist() == [
        [True] * 10 + [True, False] + [True, True, False],
        [True] * 10 + [True, True] + [True, False, False],
    ]
    torch.testing.assert_close(memory.values[:, :1], writer.nothing.expand(2, 1, -1))
    wanted = writer.concepts.weight[2] + writer.kinds[1]
    torch.testing.assert_close(memory.values[0, 10], wanted)
    torch.testing.assert_close(memory.values[1, 12], writer.decoder.embed(torch.tensor(9)) + writer.kinds[2])


def test_nothing_to_look_at_is_still_something() -> None:
    memory = a_writer().memory(None, rows=3)
    assert memory.values.shape == (3, 1, WIDTH)
    assert memory.there.all()


@pytest.mark.parametrize("kind", ["transformer", "lstm", "gru", "prefix"])
def test_a_hint_that_is_not_there_has_no_influence(kind: str) -> None:
    writer, tokens = a_writer(kind), torch.tensor([[1, 5, 6]])
    plain = writer(features(1), tokens)
    for concepts, words in (
        (torch.full((1, 4), -1), None),
        (None, torch.full((1, 4), PAD)),
        (torch.full((1, 1), -1), torch.full((1, 2), PAD)),
    ):
        torch.testing.assert_close(writer(features(1), tokens, concepts, words), plain, atol=1e-5, rtol=1e-5)
    told = writer(features(1), tokens, torch.tensor([[3]]))
    assert not torch.allclose(told, plain, atol=1e-3)


def test_a_feature_map_becomes_vectors_that_know_their_place() -> None:
    """Against the sines written out; the map is the same everywhere, so only places differ."""
    writer = a_writer()
    even = torch.ones(1, SEEN, 2, 3) * torch.arange(SEEN).view(1, SEEN, 1, 1)
    seen = writer.memory(even, rows=1).values[0, 1:]
    half = WIDTH // 2
    look = writer.look(even[0, :, 0, 0]) + writer.kinds[0]
    for row in range(2):
        for column in range(3):
            place = [
                turn(at * math.exp(-math.log(100.0) * rate / half))
                for at in (row, column)
                for turn in (math.sin, math.cos)
                for rate in range(0, half, 2)
            ]
            wanted = look + torch.tensor(place)
            torch.testing.assert_close(seen[row * 3 + column], wanted, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("width", [3, 4, 5, 6, 7])
def test_any_width_has_places(width: int) -> None:
    settings = DecoderSettings(kind="gru", width=width, layers=1, heads=1)
    writer = Writer(make_decoder(settings, 30), SEEN, 0, pad=PAD)
    assert writer.memory(features(), rows=2).values.shape == (2, 10, width)


@pytest.mark.parametrize(("grid", "side", "vectors"), [(0, 4, 16), (2, 4, 4), (4, 4, 16), (6, 4, 16)])
def test_a_grid_makes_a_large_map_smaller_and_a_small_one_no_larger(
    grid: int, side: int, vectors: int
) -> None:
    writer = a_writer(grid=grid)
    seen = writer.memory(features(1, side), rows=1).values[:, 1:]
    assert seen.shape[1] == vectors
    if grid == 2:
        pooled = features(1, side).view(1, SEEN, 2, 2, 2, 2).mean(dim=(3, 5))
        torch.testing.assert_close(seen, a_writer().memory(pooled, rows=1).values[:, 1:])


def test_a_network_gives_logits_by_task_and_its_top_the_same_over_features() -> None:
    torch.manual_seed(0)
    heads = {name: make_head(HeadSettings(), 12, 3) for name in ("concepts", "region")}
    decoder = make_decoder(DecoderSettings(width=WIDTH, heads=2, layers=1, drop=0.0), 30)
    top = Top(Writer(decoder, 12, LABELS, pad=PAD), heads)
    network = CaptionNetwork(make_tiny(BackboneSettings(), size=32), top).eval()
    pixels, tokens = torch.rand(2, 3, 32, 32) * 255, torch.tensor([[1, 5], [1, 6]])
    whole, apart = network(pixels, tokens), top(network.backbone(pixels), tokens)
    assert list(whole) == ["caption", "concepts", "region"]
    assert whole["caption"].shape == (2, 2, 30)
    assert whole["region"].shape == (2, 3)
    for name in whole:
        torch.testing.assert_close(whole[name], apart[name])
    assert list(Top(top.writer)(network.backbone(pixels), tokens)) == ["caption"]


@pytest.mark.parametrize(
    ("joint", "heads"),
    [
        ({}, {}),
        ({"concepts": 1.0}, {"concepts": 4}),
        ({"modality": 0.3, "region": 0.1}, {"modality": 2, "region": 1}),
        ({"direction": 1.0}, {"direction": 1}),
    ],
)
def test_a_top_has_a_head_for_each_task_with_a_weight_and_labels(
    joint: dict[str, float], heads: dict[str, int]
) -> None:
    labels = (CT, XRAY, CHEST, SIDE)
    top = make_top(captioner(joint=JointSettings(**joint)), TOKENIZER, labels, SEEN)
    told = top(features(), torch.tensor([[1], [1]]))
    assert {name: one.shape[1] for name, one in told.items() if name != "caption"} == heads
    without = make_top(captioner(joint=JointSettings(modality=1.0)), TOKENIZER, (CHEST,), SEEN)
    assert len(without.heads) == 0
    assert task_labels("modality", labels) == (CT, XRAY)
    assert task_labels("concepts", labels) == labels


def tops(**more: Any) -> tuple[Top, nn.Module]:
    top = make_top(captioner(**more), TOKENIZER, (CT, CHEST), 12)
    return top, make_tiny(BackboneSettings(name=TINY), size=32)


def test_kept_weights_go_back_where_they_came_from() -> None:
    torch.manual_seed(1)
    top, backbone = tops(joint=JointSettings(concepts=1.0))
    kept = {name: value.clone() for name, value in kept_weights(top, backbone).items()}
    assert {name.partition(".")[0] for name in kept} == {"writer", "heads", "backbone"}
    assert not any(name.startswith("backbone") for name in kept_weights(top))
    other, other_backbone = tops(joint=JointSettings(concepts=1.0))
    put_kept(kept, other, other_backbone)
    assert all(torch.equal(value, kept[name]) for name, value in kept_weights(other, other_backbone).items())


@pytest.mark.parametrize("wrong", ["missing", "shape", "more"])
def test_weights_of_another_captioner_are_refused(wrong: str) -> None:
    top, _ = tops()
    kept = dict(kept_weights(top))
    if wrong == "missing":
        del kept["writer.nothing"]
    elif wrong == "shape":
        kept["writer.nothing"] = torch.zeros(1, 1, 8)
    else:
        kept["heads.concepts.linear.weight"] = torch.zeros(2, 12)
    with pytest.raises(
        InputError, match=r"is another than system.toml, tokenizer.json and labels.csv ask for"
    ):
        put_kept(kept, top)


@pytest.mark.parametrize(
    ("text", "cuis"),
    [
        ("Axial CT of the chest.", {"C0040405"}),
        ("CT angiogram of the head.", {"C0040405"}),
        ("MR venogram.", {"C0024485"}),
        ("Coronary angiography.", {"C0002978"}),
        ("T2-weighted image of the brain.", {"C0024485"}),
        ("Chest X-ray and ultrasonography.", {"C1306645", "C0041618"}),
        ("PET/CT", {"C1699633"}),
        ("Tact and doctor: octopus.", set()),
        ("", set()),
    ],
)
def test_modalities_are_named_by_their_words(text: str, cuis: set[str]) -> None:
    assert modalities_named(text) == cuis


def test_a_finding_that_is_negated_is_not_claimed() -> None:
    told = "Chest radiograph with pneumothorax, no pleural effusion."
    assert findings_named(told) == {"C0032326"}
    assert claims(told) == {"C0032326", "C1306645"}
    assert findings_named("CT of the chest.") == set()


def test_the_words_of_findings_are_kept_by_what_they_name() -> None:
    found = finding_phrases(["A pneumothorax.", "Pneumothorax and pneumonia.", "No consolidation."])
    assert found["C0032326"] == ("Pneumothorax", "pneumothorax")
    assert found["C0032285"] == ("pneumonia",)
    assert list(found) == sorted(found) == ["C0032285", "C0032326"]
