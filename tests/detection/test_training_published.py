"""Systems over published towers: trained, asked and kept without the folder they began with."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from published_samples import TIMM, model, open_clip_folder, saved, scaled
from training_samples import Heard, drawn, predict_concepts, tiny, trained

from radcap.core import Missing
from radcap.datasets import Dataset
from radcap.detection.examples import label_matrix
from radcap.detection.retrieval import Retrieval
from radcap.detection.system import ConceptSystem
from radcap.vision.backbones.timm_networks import timm_module
from radcap.vision.pictures import load_pictures
from radcap.vision.settings import BackboneSettings, HeadSettings, ImageSettings, TrainSettings
from radcap.vision.weight_files import read_weight_file


def biomedclip(folder: Path) -> Path:
    torch.manual_seed(0)
    made: Any = timm_module().create_model("test_vit", num_classes=0, img_size=32)
    held = {f"visual.trunk.{name}": value for name, value in made.state_dict().items()}
    return open_clip_folder(folder, held | {"visual.head.proj.weight": torch.randn(12, 64)}, TIMM)


FOLDERS = {"hugging-face": lambda path: saved(model("CLIP"), path), "open-clip": biomedclip}


def system(
    name: str, folder: Path, *, pooled: bool = False, frozen: bool = True, **tables: Any
) -> ConceptSystem:
    backbone = BackboneSettings(name=name, weights=str(folder), frozen=frozen, pooled=pooled)
    return tiny(**{"backbone": backbone, "train": TrainSettings(epochs=1, batch=16, lr=1e-2)} | tables)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_head_on_a_frozen_tower_is_kept_without_the_published_folder(name: str, tmp_path: Path) -> None:
    published = FOLDERS[name](tmp_path / "published")
    folder = trained(system(name, published), tmp_path / "m")
    before = predict_concepts(folder.path, drawn(), split="test")
    shutil.rmtree(published)
    after = predict_concepts(folder.path, drawn(), split="test")
    assert before.logits is not None
    assert after.logits is not None
    np.testing.assert_array_equal(before.logits, after.logits)
    assert np.ptp(after.logits, axis=0).max() > 0
    assert folder.system().backbone.geometry


def test_neighbours_by_a_frozen_clip_answer_without_training(tmp_path: Path) -> None:
    """DS@GT 2026: the share of the nearest known images that have a concept; counted again by hand.

    The vectors of the count are those that transformers itself projects.
    """
    published = FOLDERS["hugging-face"](tmp_path / "published")
    retrieval = Retrieval(rule="frequency", k=5, share=0.3)
    train = TrainSettings(epochs=0, batch=16)
    asked = system("hugging-face", published, pooled=True, retrieval=retrieval, train=train)
    folder = trained(asked, tmp_path / "m")
    shutil.rmtree(published)
    answers = predict_concepts(folder.path, drawn(), split="test")
    data = {name: drawn().split(name) for name in ("train", "test")}
    known, new = (projected(one) for one in data.values())
    near = np.argsort(-(new @ known.T), axis=1)[:, :5]
    wanted = label_matrix(data["train"], folder.labels())[near].mean(axis=1) >= 0.3
    assert wanted.any()
    # weights are kept in half precision: two neighbours that are equally far may change places
    assert (wanted == answers.decided).mean() > 0.99


def projected(data: Dataset) -> Any:
    """Unit vectors of images by CLIP of transformers."""
    pictures = load_pictures(data, ImageSettings(size=32), torch.device("cpu"), workers=1)
    images = pictures.view(*pictures.squares(torch.arange(len(pictures))), None).float()
    made = model("CLIP")
    with torch.no_grad():
        told = made.visual_projection(made.vision_model(scaled(images)).pooler_output)
    return torch.nn.functional.normalize(told, dim=1).numpy()


def test_a_whole_tower_is_trained(tmp_path: Path) -> None:
    published = FOLDERS["hugging-face"](tmp_path / "published")
    train = TrainSettings(epochs=1, batch=32, lr=1e-3)
    folder = trained(system("hugging-face", published, frozen=False, train=train), tmp_path / "m")
    still = trained(system("hugging-face", published, train=replace(train, epochs=0)), tmp_path / "n")
    moved, begun = read_weight_file(folder.weights), read_weight_file(still.weights)
    name = "backbone.body.network.encoder.layers.1.mlp.fc2.weight"
    assert not torch.equal(moved[name], begun[name])


@pytest.mark.parametrize(
    "head", [HeadSettings(), HeadSettings(kind="mlp", hidden=(8,))], ids=["whole", "backbone"]
)
def test_training_can_begin_with_such_a_model(head: HeadSettings, tmp_path: Path) -> None:
    published = FOLDERS["hugging-face"](tmp_path / "published")
    nothing = TrainSettings(epochs=0, batch=16)
    first = trained(system("hugging-face", published, train=nothing), tmp_path / "m")
    shutil.rmtree(published)
    heard = Heard()
    again = trained(
        system("hugging-face", first.path, train=nothing, head=head), tmp_path / "n", talk=heard.talk
    )
    assert heard.has(f"Begins with the {'whole' if head == HeadSettings() else 'backbone'} of {first.path}")
    before, after = read_weight_file(first.weights), read_weight_file(again.weights)
    body = [one for one in before if one.startswith("backbone.")]
    assert all(torch.equal(before[one], after[one]) for one in body)
    assert again.system().backbone.geometry == first.system().backbone.geometry


def test_a_folder_that_is_missing_is_told_before_training(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"hf download someone/tower"):
        trained(system("hugging-face", Path("someone/tower")), tmp_path / "m")
    assert not (tmp_path / "m").exists()  # so that the mended file may take the same folder


def test_two_published_towers_side_by_side_are_kept_without_their_folders(tmp_path: Path) -> None:
    """Frozen embeddings of several models, and a linear layer over all of them."""
    folders = {name: make(tmp_path / name) for name, make in FOLDERS.items()}
    parts = tuple(BackboneSettings(name=name, weights=str(one)) for name, one in folders.items())
    both = BackboneSettings(name="joined", frozen=True, part=parts)
    folder = trained(tiny(backbone=both, train=TrainSettings(epochs=1, batch=16, lr=1e-2)), tmp_path / "m")
    before = predict_concepts(folder.path, drawn(), split="test")
    for one in folders.values():
        shutil.rmtree(one)
    after = predict_concepts(folder.path, drawn(), split="test")
    assert before.logits is not None
    assert after.logits is not None
    np.testing.assert_array_equal(before.logits, after.logits)
    assert all(one.geometry for one in folder.system().backbone.part)
    again = replace(both, weights=str(folder.path))
    heard = Heard()
    begun = tiny(backbone=again, train=TrainSettings(epochs=0, batch=16))
    second = trained(begun, tmp_path / "n", talk=heard.talk)
    assert heard.has("Begins with the whole of")
    assert all(one.geometry for one in second.system().backbone.part)
