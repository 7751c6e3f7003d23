"""Calibrators fitted on images that the model did not learn from.

Invariant: a group without both positives and negatives takes the fit over all labels, and where that has
none either, logits stay as they are. A label of its own is drawn towards its kind by n / (n + shrinkage),
n being its positives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.calibration.arrays import checked_labels, checked_logits, checked_truth, numbered
from radcap.detection.calibration.calibrator import Calibrator, Curves, Lines
from radcap.detection.calibration.isotonic import Curve, fit_isotonic
from radcap.detection.calibration.kinds import kinds
from radcap.detection.calibration.platt import fit_platt, sigmoid
from radcap.detection.calibration.samples import Sample, sample_of
from radcap.detection.calibration.temperature import fit_temperature

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from radcap.core.runs import Cui
    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers
    from radcap.detection.calibration.config import Calibration

__all__ = ["fit_calibration"]

_OWN_CELLS = 2**13  # of one label: its two numbers do not need more than 2,048 bins
_FEWEST = 10  # positives with which a curve of its own begins to mean something


def fit_calibration(
    config: Calibration, logits: NDArray[Any], truth: NDArray[Any], labels: Sequence[Cui]
) -> Calibrator:
    """The calibrator of these labels; truth is (images, labels) of type bool."""
    names = checked_labels(labels)
    given = checked_logits(logits, len(names))
    known = checked_truth(truth, len(names), len(given))
    groups = {"all": numbered(len(names))} if config.groups == "all" else kinds(names)
    parts = [columns for columns in groups.values() if len(columns)]
    if config.method == "isotonic":
        return Calibrator(config, names, _fit_curves(config, given, known, parts))
    return Calibrator(config, names, _fit_lines(config, given, known, parts))


def _fit_lines(config: Calibration, logits: Numbers, truth: Bools, parts: Sequence[Ints]) -> Lines:
    theta = np.tile([[1.0], [0.0]], truth.shape[1])
    if config.method == "none":
        return Lines(*theta)
    fit = _temperature if config.method == "temperature" else fit_platt
    samples = _samples(logits, truth, parts)
    for columns, sample in zip(parts, samples, strict=True):
        if not sample.one_sided:
            theta[:, columns] = np.array(fit(sample))[:, None]
    if config.groups == "label":
        _own_lines(fit, theta, logits, truth, _weights(config, truth))
    return Lines(*theta)


def _own_lines(
    fit: Callable[[Sample], tuple[float, float]],
    theta: Floats,
    logits: Numbers,
    truth: Bools,
    weights: Floats,
) -> None:
    """Draw each label from its kind's fit to its own."""
    for column in np.flatnonzero(weights).tolist():
        sample = sample_of(logits, truth, np.array([column]), _OWN_CELLS)
        if not sample.one_sided:
            theta[:, column] += weights[column] * (np.array(fit(sample)) - theta[:, column])


def _fit_curves(config: Calibration, logits: Numbers, truth: Bools, parts: Sequence[Ints]) -> Curves:
    group = np.zeros(truth.shape[1], dtype=np.int64)
    curves: list[Curve] = []
    for columns, sample in zip(parts, _samples(logits, truth, parts), strict=True):
        group[columns] = len(curves)
        curves.append(_as_they_are() if sample.one_sided else fit_isotonic(sample))
    own, weights = group.copy(), _weights(config, truth)
    enough = (truth.sum(axis=0) >= _FEWEST) & (weights > 0) & (config.groups == "label")
    for column in np.flatnonzero(enough).tolist():
        own[column] = len(curves)
        curves.append(fit_isotonic(sample_of(logits, truth, np.array([column]))))
    return Curves(tuple(curves), own, group, np.where(own == group, 0.0, weights))


def _samples(logits: Numbers, truth: Bools, parts: Sequence[Ints]) -> list[Sample]:
    """A sample for each part; that of all labels where a part has nothing to tell apart."""
    samples = [sample_of(logits, truth, columns) for columns in parts]
    if not any(sample.one_sided for sample in samples):
        return samples
    whole = sample_of(logits, truth, numbered(truth.shape[1]))
    return [whole if sample.one_sided else sample for sample in samples]


def _weights(config: Calibration, truth: Bools) -> Floats:
    """How much of its own fit each label takes."""
    positives = truth.sum(axis=0).astype(np.float64)
    total = positives + config.shrinkage
    return np.divide(positives, total, out=np.zeros_like(total), where=total > 0)


def _temperature(sample: Sample) -> tuple[float, float]:
    return fit_temperature(sample), 0.0


def _as_they_are() -> Curve:
    """The plain sigmoid as a curve."""
    knots = np.linspace(-30.0, 30.0, 601)
    return Curve(knots, sigmoid(knots))
