"""Scores of several runs as one array, after the check that they may be compared at all.

Invariant: under one metric all runs have one signature and the same images; what a metric leaves out is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, isclose, isfinite
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError
from radcap.stats.arrays import Floats

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import ImageId, Score

__all__ = ["AlignedScores", "align_scores"]

_CLOSE = 1e-6  # relative: room for per-image values that were kept as float32


@dataclass(frozen=True, slots=True)
class AlignedScores:
    """All values of all runs; images in the order in which the first run names them."""

    runs: tuple[str, ...]
    metrics: tuple[str, ...]
    ids: tuple[ImageId, ...]
    values: Floats  # (images, metrics, runs)


def align_scores(runs: Mapping[str, Mapping[str, Score]]) -> AlignedScores:
    """Bring per-image values into one order; runs that measure different things are refused."""
    names = tuple(runs)
    if not names:
        raise UsageError("No run was given. Nothing can be compared. Give at least one.")
    metrics = tuple(runs[names[0]])
    if not metrics:
        raise UsageError(f"Run {names[0]} has no score. Nothing can be compared. Score it first.")
    for name in names:
        _check_run(names[0], name, runs)
    rows: dict[ImageId, int] = {}
    for score in runs[names[0]].values():
        rows.update((one, len(rows)) for one in score.ids if one not in rows)
    values = np.full((len(rows), len(metrics), len(names)), np.nan)
    for column, name in enumerate(names):
        for layer, metric in enumerate(metrics):
            score = runs[name][metric]
            values[[rows[one] for one in score.ids], layer, column] = score.values
    return AlignedScores(names, metrics, tuple(rows), values)


def _check_run(first: str, name: str, runs: Mapping[str, Mapping[str, Score]]) -> None:
    """Refuse a run that was not measured as the first one was."""
    wanted, found = runs[first], runs[name]
    if wanted.keys() != found.keys():
        raise UsageError(
            f"Run {first} has {', '.join(wanted)}; run {name} has {', '.join(found) or 'no score'}. "
            "Only equal metrics can be compared. Score both runs with the same settings."
        )
    for metric, score in found.items():
        _check_values(f"{metric} of run {name}", score)
        _check_pair(metric, first, name, runs)


def _check_pair(metric: str, first: str, name: str, runs: Mapping[str, Mapping[str, Score]]) -> None:
    wanted, found = runs[first][metric], runs[name][metric]
    if wanted.signature != found.signature:
        raise UsageError(
            f"{metric} of run {first} is {wanted.signature}, that of run {name} is {found.signature}. "
            "They measure different things. Score both runs with the same settings."
        )
    odd = set(wanted.ids) ^ set(found.ids)
    if odd:
        raise UsageError(
            f"{metric} of run {first} and of run {name} are over different images: {len(odd):,} are in only "
            f"one of them, e.g. {min(odd)}. A paired test needs the same images. Score both on one truth."
        )


def _check_values(what: str, score: Score) -> None:
    """Refuse a score whose value is not the mean of its images: a resample would be of something else."""
    if not score.values:
        raise UsageError(
            f"{what} has no value per image. It cannot be resampled. Leave this metric out of the comparison."
        )
    if not len(set(score.ids)) == len(score.ids) == len(score.values) == score.n:
        raise UsageError(
            f"{what} has {len(set(score.ids)):,} different images, {len(score.values):,} values and "
            f"n = {score.n:,}. Each image needs one value. Score the run again."
        )
    if not all(map(isfinite, score.values)):
        raise UsageError(
            f"{what} has a value that is no finite number. Its mean is undefined. Score the run again."
        )
    if not isclose(score.value, fsum(score.values) / score.n, rel_tol=_CLOSE, abs_tol=_CLOSE**2):
        raise UsageError(
            f"{what} is {score.value:.6g}, not the mean of its values per image. An interval would be "
            "about another number. Leave this metric out of the comparison."
        )
