"""Systems whose head writes a list of concepts, from a dataset to answers."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_samples import drawn, predict_concepts, tiny, trained, whole

from radcap.core import UsageError
from radcap.core.cui_sets import MODALITIES
from radcap.detection.calibration.config import Calibration
from radcap.detection.decisions.config import Decision
from radcap.detection.models import Answers
from radcap.detection.models.opening import load_network
from radcap.detection.system import ConceptSystem
from radcap.detection.talk import Talk
from radcap.detection.training import networks
from radcap.detection.training.held_answers import read_held
from radcap.vision.heads.sequence import SequenceHead
from radcap.vision.settings import (
    AugmentSettings,
    BackboneSettings,
    HeadSettings,
    ImageSettings,
    LossSettings,
    TeacherSettings,
    TrainSettings,
)
from radcap.vision.training import fit
from radcap.vision.weight_files import read_weight_file

SCALES = BackboneSettings(name="residual-scales", width=16)
DATA = partial(drawn, 300)


def sequence(make: Any = whole, head: dict[str, Any] | None = None, **tables: Any) -> ConceptSystem:
    """A list at a threshold of one half."""
    settings: dict[str, Any] = {"kind": "sequence", "width": 32} | (head or {})
    given = {
        "head": HeadSettings(**settings),
        "loss": LossSettings(name="own"),
        "decision": Decision("fixed", threshold=0.5),
        "calibration": Calibration("none"),
    } | tables
    return make(**given)


@cache
def truth() -> dict[str, set[str]]:
    return {record.id: set(record.concepts) for record in DATA().split("test")}


def modality_f1(told: dict[str, set[str]]) -> float:
    """The mean over test images, of modalities alone."""
    pairs = [(told[one] & set(MODALITIES), cuis & set(MODALITIES)) for one, cuis in truth().items()]
    return float(np.mean([2 * len(p & t) / max(len(p) + len(t), 1) if p or t else 1.0 for p, t in pairs]))


def sets_of(answers: Answers) -> dict[str, set[str]]:
    named = np.array(answers.labels)
    return {one: set(named[row]) for one, row in zip(answers.ids, answers.decided, strict=True)}


def test_a_system_of_lists_learns_the_modality(tmp_path: Path) -> None:
    train = TrainSettings(epochs=8, batch=16, lr=5e-3)
    system = sequence(head={"decoder": "gru", "width": 64}, backbone=SCALES, train=train)
    folder = trained(system, tmp_path / "m", DATA())
    answers = predict_concepts(folder.path, DATA(), split="test")
    counts = Counter(cui for record in DATA().split("train") for cui in record.concepts if cui in MODALITIES)
    frequent = counts.most_common(1)[0][0]
    learnt, guessed = modality_f1(sets_of(answers)), modality_f1({one: {frequent} for one in truth()})
    assert learnt > guessed + 0.2
    assert answers.probabilities is not None
    assert np.array_equal(answers.decided, answers.probabilities >= 0.5)


@pytest.mark.parametrize(
    ("make", "tables"),
    [
        (tiny, {"head": {"least": 2, "length": 4}}),
        (tiny, {"head": {"decoder": "lstm", "attention": False, "beams": 1}}),
        (whole, {"head": {"decoder": "lstm", "count": True}, "backbone": SCALES}),
        (whole, {"backbone": SCALES, "image": ImageSettings(32, augment=AugmentSettings(mixup=0.4))}),
    ],
    ids=["frozen", "shown and told", "whole", "mixed"],
)
def test_what_is_saved_answers_as_what_was_trained(make: Any, tables: Any, tmp_path: Path) -> None:
    system = sequence(make, **tables)
    folder = trained(system, tmp_path / "m")
    answers = predict_concepts(folder.path, drawn(), split="test")
    assert answers.logits is not None
    assert np.isfinite(answers.logits).all()
    before, after = read_held(folder, valid := drawn().split("valid")), predict_concepts(folder.path, valid)
    assert before.ids == after.ids
    assert np.array_equal(before.decided, after.decided)
    counts = answers.decided.sum(axis=1)
    assert ((counts >= system.head.least) & (counts <= system.head.length)).all()
    assert folder.system() == system


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        ({"loss": LossSettings(name="bce")}, r'\[loss\] name is "bce", and a head that writes lists'),
        ({"head": {"critic": 4}}, r"\[head\] critic looks at"),
        ({"teacher": TeacherSettings(("nowhere",), 0.5)}, r"\[teacher\] answers with"),
    ],
    ids=["loss", "critic", "teacher"],
)
def test_what_lists_do_not_learn_by_is_refused_before_training(
    tables: Any, told: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=told):
        trained(sequence(**tables), tmp_path / "m")


def test_lists_begin_with_the_modality_and_the_order_is_saved(tmp_path: Path) -> None:
    folder = trained(sequence(tiny), tmp_path / "m")
    labels = folder.labels()
    head = load_network(folder, folder.system(), len(labels)).head
    assert isinstance(head, SequenceHead)
    named = [labels[number] in MODALITIES for number in head.order.tolist()]
    assert named == sorted(named, reverse=True)
    assert any(named)
    assert sorted(head.order.tolist()) == list(range(len(labels)))


class Killed(Exception):
    """What a kill looks like from inside."""


@pytest.mark.parametrize(
    "system",
    [
        sequence(tiny, {"drop": 0.1, "hide": 0.2}, train=TrainSettings(epochs=2, batch=16, ema=0.9)),
        sequence(backbone=SCALES, train=TrainSettings(epochs=2, batch=16)),
    ],
    ids=["frozen", "whole"],
)
def test_a_killed_training_goes_on_to_the_same_weights(
    system: ConceptSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tell(text: str) -> None:
        if text.startswith("epoch 1 of"):
            raise Killed

    monkeypatch.setattr(networks, "fit", partial(fit, save_s=0))
    with pytest.raises(Killed):
        trained(system, tmp_path / "broken", talk=Talk(tell))
    weights = [read_weight_file(trained(system, tmp_path / name).weights) for name in ("broken", "unbroken")]
    assert weights[0].keys() == weights[1].keys()
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
