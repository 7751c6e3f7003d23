"""Backbones that learn from images alone, under captioners of every kind that looks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
import torch
from captioning_samples_training import CPU, SIZE, captioner, drawn, known_backbone, taught

import radcap
from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.settings import CaptionTrainSettings
from radcap.captioning.training.encoding import make_encoder
from radcap.captioning.training.maker import CaptionMaker
from radcap.captioning.training.parts import CaptionParts
from radcap.detection.talk import SILENT
from radcap.vision.backbones import make_backbone
from radcap.vision.settings import BackboneSettings
from radcap.vision.weight_files import read_weight_file, write_weight_file

__all__ = ["known_backbone"]

SPARSE = BackboneSettings(name="auto-encoder", width=4, frozen=True, sparsity=0.01)


def backbone_of(folder: CaptionFolder) -> dict[str, torch.Tensor]:
    held = read_weight_file(folder.weights)
    return {name.removeprefix("backbone."): one for name, one in held.items() if name.startswith("backbone.")}


@pytest.fixture(scope="module", autouse=True)
def few_epochs() -> Iterator[None]:
    with mock.patch("radcap.vision.backbones.auto_encoder._EPOCHS", 3):
        yield


@pytest.fixture(scope="module")
def learnt(known_backbone: None, few_epochs: None) -> dict[str, torch.Tensor]:
    """What it learns of the training images, and of both splits."""
    return make_and_begin(SPARSE)


def make_and_begin(settings: BackboneSettings, *, both: bool = False) -> dict[str, torch.Tensor]:
    system = captioner(backbone=settings)
    parts = CaptionParts.of(drawn(), system.data)
    maker = CaptionMaker(system, parts, CaptionFolder(Path("none")), CPU, SILENT, {})
    encoder = make_encoder(maker)
    encoder.begin(maker, parts.both if both else parts.fit)
    return encoder.backbone.state_dict()


@pytest.mark.parametrize("kind", ["gru", "words", "nearest"])
def test_it_learns_before_anything_stands_on_it(
    kind: str, learnt: dict[str, torch.Tensor], tmp_path: Path
) -> None:
    folder = taught(captioner(kind, backbone=SPARSE), tmp_path / "m")
    kept = backbone_of(folder)
    torch.manual_seed(0)
    fresh = make_backbone(SPARSE, size=SIZE).state_dict()
    assert kept.keys() == learnt.keys()
    assert all(torch.equal(kept[name], learnt[name]) for name in kept)
    assert all(float((kept[name] - fresh[name]).abs().max()) > 0.003 for name in kept)
    assert radcap.predict(folder.path, drawn(), split="test")


def test_a_refit_learns_from_both_splits(learnt: dict[str, torch.Tensor], tmp_path: Path) -> None:
    train = CaptionTrainSettings(epochs=1, batch=16, refit=True)
    kept = backbone_of(taught(captioner("gru", backbone=SPARSE, train=train), tmp_path / "m"))
    both = make_and_begin(SPARSE, both=True)
    assert all(torch.equal(kept[name], both[name]) for name in kept)
    assert not any(torch.equal(kept[name], learnt[name]) for name in kept)


def test_weights_that_are_given_stay(learnt: dict[str, torch.Tensor], tmp_path: Path) -> None:
    named = {name.removeprefix("body."): one for name, one in learnt.items()}
    write_weight_file(named, tmp_path / "given.safetensors")
    given = BackboneSettings(
        name="auto-encoder", width=4, frozen=True, weights=str(tmp_path / "given.safetensors")
    )
    kept = backbone_of(taught(captioner("gru", backbone=given), tmp_path / "m"))
    assert all(torch.equal(kept[name], learnt[name]) for name in kept)


def test_one_that_goes_on_learning_begins_with_what_it_has_learnt(learnt: dict[str, torch.Tensor]) -> None:
    begun = make_and_begin(replace(SPARSE, frozen=False))
    assert all(torch.equal(begun[name], learnt[name]) for name in begun)
