"""Systems with every head and loss of their own, from a dataset to answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_samples import drawn, member, predict_concepts, tiny, trained, whole

from radcap.core import UsageError
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.system import ConceptSystem
from radcap.detection.training.facts import label_facts
from radcap.detection.training.held_answers import read_held
from radcap.vision.settings import HeadSettings, ImageSettings, LossSettings, TrainSettings
from radcap.vision.weight_files import read_weight_file

EMBEDDED = HeadSettings(kind="label-embedding", width=32, heads=8, nearest=6)
CONTRASTS = LossSettings(name="contrastive", image_image=0.2, concept_concept=0.2)
CASES = {
    "embedded": {"head": EMBEDDED},
    "contrastive": {"head": EMBEDDED, "loss": CONTRASTS},
    "frequency": {
        "head": HeadSettings(kind="grouped", hidden=(16,), pool="gem"),
        "image": ImageSettings(size=64),  # maps of one place are the same at every power
    },
    "kind": {"head": HeadSettings(kind="grouped", by="kind", groups=3, hidden=(16, 8), drop=0.1)},
    "chained": {"head": HeadSettings(kind="chained", groups=6)},
    "critic": {"head": HeadSettings(critic=8, count=True)},
}


def check(system: ConceptSystem, out: Path) -> dict[str, torch.Tensor]:
    """Training's own answers to held-out images are those of the folder, and are no constants."""
    folder = trained(system, out)
    valid = drawn().split("valid")
    held, told = read_held(folder, valid), predict_concepts(folder.path, drawn(), split="valid")
    assert held.ids == told.ids
    assert held.logits is not None
    assert told.logits is not None
    np.testing.assert_allclose(held.logits, told.logits, rtol=1e-4, atol=1e-4)
    assert np.isfinite(told.logits).all()
    assert (told.logits.std(axis=0) > 0).all()
    return read_weight_file(folder.weights)


@pytest.mark.parametrize("case", CASES)
def test_a_head_on_a_frozen_backbone_is_trained_saved_and_asked(case: str, tmp_path: Path) -> None:
    weights = check(tiny(**CASES[case]), tmp_path / "m")
    before = read_weight_file(trained(tiny(**CASES[case], train=epochs(0)), tmp_path / "0").weights)
    still = {name for name, value in weights.items() if torch.equal(value, before[name])}
    assert {name for name in still if not name.startswith("backbone.")} <= {"head.group", "head.order"}


@pytest.mark.parametrize("case", ["contrastive", "kind"])
def test_a_whole_network_is_too(case: str, tmp_path: Path) -> None:
    check(whole(**CASES[case]), tmp_path / "m")


def epochs(number: int) -> TrainSettings:
    return TrainSettings(epochs=number, batch=16, lr=1e-2)


def test_heads_meet_the_labels_of_the_training_split(tmp_path: Path) -> None:
    system = tiny(**CASES["chained"], train=epochs(0))
    folder = trained(system, tmp_path / "chained")
    labels = folder.labels()
    rows = [record.concepts for record in drawn().split("train")]
    shares = torch.tensor([sum(cui in row for row in rows) / len(rows) for cui in labels])
    order = read_weight_file(folder.weights)["head.order"]
    assert (shares[order].diff() <= 0).all()
    folder = trained(tiny(**CASES["kind"], train=epochs(0)), tmp_path / "kind")
    truth = torch.tensor([[cui in row for cui in labels] for row in rows])
    kinds = label_facts(labels, truth).kinds
    group = read_weight_file(folder.weights)["head.group"].tolist()
    assert len(set(kinds)) > 2
    pairs = list(zip(kinds, group, strict=True))
    assert [len({kind for kind, mine in pairs if mine == one}) for one in (0, 1)] == [1, 1]


def test_sharpness_changes_what_is_learnt(tmp_path: Path) -> None:
    plain = epochs(2)
    weights = [
        read_weight_file(trained(tiny(train=one), tmp_path / str(number)).weights)["head.linear.weight"]
        for number, one in enumerate((plain, replace(plain, sam=0.5)))
    ]
    assert not torch.equal(*weights)


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        (LossSettings(name="contrastive", concept_concept=1.0), "has no vectors of concepts to compare"),
        (LossSettings(name="own"), "has no loss of its own"),
    ],
)
def test_a_loss_that_the_head_cannot_feed_is_refused_before_training(
    loss: Any, told: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=told):
        trained(tiny(loss=loss), tmp_path / "m")
    assert not list((tmp_path / "m").rglob("*.safetensors"))
    members = (member("fine"), member("wrong", 1, loss=loss))
    both = ConceptSystem(name="both", task="concepts", ensemble=Ensemble(), member=members)
    with pytest.raises(UsageError, match=told):
        trained(both, tmp_path / "both")
    assert not list((tmp_path / "both").rglob("*.safetensors"))
