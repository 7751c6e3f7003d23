"""The card of a model: what it is, what it saw, how good it was on images it did not learn from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import NAMES, VERSION
from radcap.detection.calibration import brier, ece
from radcap.detection.decisions import sample_f1
from radcap.detection.examples import label_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import Cui
    from radcap.detection.system import ConceptSystem
    from radcap.detection.training.judging import Judged
    from radcap.vision.training import Place, Trained

__all__ = ["held_figures", "model_card", "training_facts"]


def model_card(
    system: ConceptSystem, labels: tuple[Cui, ...], facts: Mapping[str, Any], judged: Judged | None
) -> dict[str, Any]:
    """The card as JSON."""
    return {
        "name": system.name,
        "task": system.task,
        "radcap": VERSION,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "labels": len(labels),
        **facts,
        "held_out": None if judged is None else held_figures(judged),
        "intended_use": "Research on radiology images. Not for diagnosis.",
    }


def held_figures(judged: Judged) -> dict[str, Any]:
    """F1 on the held-out split, by cross-fitting; labels that training never saw count as missed."""
    answers, dataset = judged.answers, judged.dataset
    place = {one: row for row, one in enumerate(dataset.ids)}
    here = dataset.take([place[one] for one in answers.ids])
    others = {cui for cuis in here.column("cui").to_pylist() for cui in cuis} - set(answers.labels)
    every = (*answers.labels, *sorted(others))
    truth = label_matrix(here, every)
    decided = np.zeros_like(truth)
    decided[:, : len(answers.labels)] = answers.decided
    manual = [number for number, cui in enumerate(every) if cui in NAMES]
    figures: dict[str, Any] = {
        "n": len(here),
        "f1": float(sample_f1(decided, truth).mean()),
        "f1_manual": float(sample_f1(decided[:, manual], truth[:, manual]).mean()),
        "labels_not_learnt": len(others),
    }
    if judged.crossed is not None:
        known, probabilities = truth[:, : len(answers.labels)], judged.crossed.probabilities
        figures["cross_fitted"] = judged.crossed.to_json()
        figures["ece"] = float(ece(probabilities, known))
        figures["brier"] = float(brier(probabilities, known))
    if judged.rescue is not None:
        figures["rescue"] = judged.rescue.to_json()
    return figures


def training_facts(trained: Trained, last: Trained, place: Place, seconds: float) -> dict[str, Any]:
    """How training went; `last` is the one whose weights are the model's, after a refit another."""
    rows = trained.history.rows
    return {
        "epochs": len(rows),
        "kept_epoch": trained.epoch,
        "stopped": last.stopped if last.stopped == "no number" else trained.stopped,
        "last_loss": rows[-1].loss if rows else None,
        "seconds": round(seconds, 1),
        "device": place.device.type,
        "precision": place.precision,
        "processes": place.world,
    }
