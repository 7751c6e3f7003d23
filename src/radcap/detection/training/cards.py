"""The card of a model: what it is, what it saw, how good it was on images it did not learn from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from radcap.core import NAMES, VERSION
from radcap.detection.calibration import brier, ece
from radcap.detection.decisions import sample_f1
from radcap.detection.examples import label_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.decisions import CrossFitted
    from radcap.detection.models.answers import Answers
    from radcap.detection.system import ConceptSystem

__all__ = ["held_figures", "model_card"]


def model_card(
    system: ConceptSystem,
    labels: tuple[Cui, ...],
    facts: Mapping[str, Any],
    held: tuple[Answers, Dataset, CrossFitted | None] | None,
) -> dict[str, Any]:
    """The card as JSON."""
    return {
        "name": system.name,
        "task": system.task,
        "radcap": VERSION,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "labels": len(labels),
        **facts,
        "held_out": None if held is None else held_figures(*held),
        "intended_use": "Research on radiology images. Not for diagnosis.",
    }


def held_figures(answers: Answers, dataset: Dataset, crossed: CrossFitted | None) -> dict[str, Any]:
    """F1 on the held-out split, by cross-fitting; labels that training never saw count as missed."""
    known = dict(zip(dataset.ids, dataset.column("cui").to_pylist(), strict=True))
    rows = [known[one] for one in answers.ids]
    every = tuple(sorted({cui for cuis in rows for cui in cuis} | set(answers.labels)))
    place = {cui: number for number, cui in enumerate(every)}
    import numpy as np

    decided = np.zeros((len(rows), len(every)), np.bool_)
    decided[:, [place[cui] for cui in answers.labels]] = answers.decided
    order = {one: row for row, one in enumerate(dataset.ids)}
    truth = label_matrix(dataset, every)[[order[one] for one in answers.ids]]
    manual = [number for number, cui in enumerate(every) if cui in NAMES]
    figures: dict[str, Any] = {
        "n": len(rows),
        "f1": float(sample_f1(decided, truth).mean()),
        "f1_manual": float(sample_f1(decided[:, manual], truth[:, manual]).mean()),
        "labels_not_learnt": len(every) - len(answers.labels),
    }
    if crossed is not None:
        seen = truth[:, [place[cui] for cui in answers.labels]]
        figures["cross_fitted"] = crossed.to_json()
        figures["ece"] = float(ece(crossed.probabilities, seen))
        figures["brier"] = float(brier(crossed.probabilities, seen))
    return figures
