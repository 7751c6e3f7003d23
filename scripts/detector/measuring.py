"""What the shipped detector is asked about the test split, once.

Invariant: labels that the detector never learnt count as missed, so F1 is what `radcap score concepts` gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from detector.marks import without_marks
from radcap.core import MODALITIES, NAMES
from radcap.detection.calibration import brier, ece, reliability
from radcap.detection.decisions import sample_f1
from radcap.detection.examples import groups_of, label_matrix
from radcap.stats import percentile_interval, resampled_means

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.models.network_model import NetworkModel

    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float32]

__all__ = [
    "Asked",
    "figures",
    "interval",
    "left_out",
    "measured",
    "modality_accuracy",
    "slices_of",
    "widened",
]

_FOUR = ("C0040405", "C0024485", "C1306645", "C0041618")  # CT, MRI, X-ray, ultrasound


def measured(model: NetworkModel, test: Dataset, labels: tuple[str, ...], exact: Floats) -> dict[str, Any]:
    """Everything the card says about test; `exact` are the logits before weights were rounded."""
    answers, masked = model.answers(test), model.answers(without_marks(test))
    if answers.logits is None or model.calibrator is None or model.rule is None:
        raise ValueError("the detector has no scores to measure")
    every = tuple(sorted({cui for cuis in test.column("cui").to_pylist() for cui in cuis} | set(labels)))
    truth = label_matrix(test, every)
    decided = widened(answers.decided, labels, every)
    rounded = widened(model.rule(model.calibrator(exact)), labels, every)
    groups = groups_of(test, test.ids)
    asked = Asked(truth, every, np.array(groups))
    return {
        **figures(decided, asked),
        "intervals": f"95 %, bootstrap over the {len(set(groups)):,} groups of images",
        "by_modality": slices_of(test.column("modality").to_pylist(), decided, asked),
        "by_source": slices_of(test.column("source").to_pylist(), decided, asked),
        "modality_accuracy": modality_accuracy(answers.logits, labels, test),
        "labels_not_learnt": len(every) - len(labels),
        "calibration": _calibration(answers.probabilities, label_matrix(test, labels)),
        "eight_bits": {
            "f1_in_full_precision": figures(rounded, asked)["f1"]["value"],
            "largest_change_of_a_logit": float(np.abs(answers.logits - exact).max()),
        },
        "without_marks_of_the_publisher": {
            **figures(widened(masked.decided, labels, every), asked),
            "what": "the corner of the MedPix watermark and the strip of the line below painted over,"
            " VQA-Med only",
        },
    }


def _calibration(probabilities: Any, truth: Flags) -> dict[str, Any]:  # noqa: ANN401 - checked by `ece`
    table = reliability(probabilities, truth)
    return {
        "ece": float(ece(probabilities, truth)),
        "brier": float(brier(probabilities, truth)),
        "bins": [
            {"n": int(n), "mean_p": float(p), "observed": float(o)}
            for n, p, o in zip(table.counts, table.mean_probability, table.observed, strict=True)
            if n
        ],
    }


def widened(decided: Flags, labels: tuple[str, ...], every: tuple[str, ...]) -> Flags:
    """Answers over all labels there are: those that were not learnt are never said."""
    wide = np.zeros((len(decided), len(every)), np.bool_)
    wide[:, [every.index(cui) for cui in labels]] = decided
    return wide


@dataclass(frozen=True)
class Asked:
    """The images that are asked about: their labels, and which of them belong together."""

    truth: Flags
    labels: tuple[str, ...]
    groups: NDArray[np.str_]

    def only(self, rows: Flags) -> Asked:
        return Asked(self.truth[rows], self.labels, self.groups[rows])


def figures(decided: Flags, asked: Asked) -> dict[str, Any]:
    """F1 over all labels, and over the concepts that annotators gave by hand, directions included."""
    manual = [place for place, cui in enumerate(asked.labels) if cui in NAMES]
    return {
        "n": len(decided),
        "f1": interval(sample_f1(decided, asked.truth), asked.groups),
        "f1_manual": interval(sample_f1(decided[:, manual], asked.truth[:, manual]), asked.groups),
    }


def interval(values: NDArray[np.float64], groups: NDArray[np.str_]) -> dict[str, float]:
    """A mean with the middle 95 % of its bootstrap over groups."""
    means = resampled_means(values[:, None], resamples=2000, seed=0, groups=groups.tolist())[:, 0]
    found = percentile_interval(means, 0.95)
    return {"value": float(values.mean()), "low": found.low, "high": found.high}


def slices_of(names: list[str], decided: Flags, asked: Asked) -> dict[str, Any]:
    kinds = np.array(names)
    return {one: figures(decided[kinds == one], asked.only(kinds == one)) for one in sorted(set(names))}


def modality_accuracy(logits: Floats, labels: tuple[str, ...], data: Dataset) -> float:
    """How often the highest of the modality logits is the modality, of images that have exactly one."""
    columns = [place for place, cui in enumerate(labels) if cui in MODALITIES]
    truth = label_matrix(data, labels)[:, columns]
    one = truth.sum(axis=1) == 1
    return float((logits[:, columns].argmax(axis=1) == truth.argmax(axis=1))[one].mean())


def left_out(folder: Path, data: Dataset, labels: tuple[str, ...]) -> dict[str, Any]:
    """How well networks name CT, MRI, X-ray and ultrasound of a source that they never saw."""
    columns = [place for place, cui in enumerate(labels) if cui in MODALITIES]
    names = [labels[place] for place in columns]
    ids = {one: place for place, one in enumerate(data.ids)}
    truth = label_matrix(data, labels)[:, columns]
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("loso-*.npz")):
        held = np.load(file)
        rows = [ids[one] for one in held["ids"].tolist()]
        right = truth[rows]
        told = held["logits"][:, columns].astype(np.float32).argmax(axis=1)
        true = right.argmax(axis=1)
        kept = (right.sum(axis=1) == 1) & np.isin(np.array(names)[true], _FOUR)
        source = data.column("source").to_pylist()[rows[0]]
        found[source] = {"n": int(kept.sum()), "accuracy": float((told == true)[kept].mean())}
    total = sum(one["n"] for one in found.values())
    pooled = sum(one["n"] * one["accuracy"] for one in found.values()) / total
    return {"sources": found, "pooled": {"n": total, "accuracy": pooled}}
