"""From the scores of several runs to intervals, tests, letters and ranks.

Invariant: resamples and sign flips are drawn once, for all runs and metrics; the order in which
runs are given changes no result.
>>> from radcap.core import Score
>>> a = Score("f1", 0.9, 4, "f1|x", ("1", "2", "3", "4"), (0.9, 1.0, 0.8, 0.9))
>>> b = Score("f1", 0.4, 4, "f1|x", ("1", "2", "3", "4"), (0.5, 0.4, 0.3, 0.4))
>>> found = compare_scores({"b": {"f1": b}, "a": {"f1": a}}).primary
>>> [(one.run, one.rank, one.letters) for one in found.standings], found.pairs[0].p
([('a', 1, 'a'), ('b', 2, 'a')], 0.125)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError
from radcap.core.counts import counted
from radcap.stats.alignment import align_scores
from radcap.stats.bootstrap import resampled_means
from radcap.stats.comparison import Comparison, Procedure
from radcap.stats.metric_board import MetricBoard
from radcap.stats.permutation import sign_flip_test

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.core import ImageId, Score
    from radcap.stats.arrays import Floats

__all__ = ["compare_scores"]

_DEFAULT = Procedure()


def compare_scores(
    runs: Mapping[str, Mapping[str, Score]],
    *,
    procedure: Procedure = _DEFAULT,
    groups: Mapping[ImageId, str] | None = None,
) -> Comparison:
    """Compare runs, given as name -> metric -> score; the first metric of the first run ranks.

    All runs need the same metrics, signatures and images, in any order. A higher value is better. Images of a
    patient or an article hang together: `groups` says which, and whole groups are drawn and flipped.
    With more than 32 runs the default permutations separate none: see `draws_needed`.
    """
    _check(procedure)
    aligned = align_scores(runs)
    member = None if groups is None else _group_of_each(aligned.ids, groups)
    means = _means(aligned.values, procedure, member)
    p = _p_values(aligned.values, procedure, member)
    found = (
        MetricBoard.of(
            {run: runs[run][metric] for run in aligned.runs},
            aligned.values[:, layer],
            means[:, layer],
            p[layer],
        ).compared(metric, procedure)
        for layer, metric in enumerate(aligned.metrics)
    )
    return Comparison(procedure, tuple(found), None if member is None else len(set(member)))


def _group_of_each(ids: Sequence[ImageId], groups: Mapping[ImageId, str]) -> list[str]:
    """The groups of the compared images; one that is named without a group stands by itself."""
    absent = [one for one in ids if one not in groups]
    if absent:
        raise UsageError(
            f"{counted(len(absent))} of {len(ids):,} that were scored have no group, e.g. {min(absent)}. "
            "Which images hang together must be known of all. Name their groups, or compare without groups."
        )
    return [f"group {groups[one]}" if groups[one] else f"image {one}" for one in ids]


def _check(procedure: Procedure) -> None:
    for name in ("resamples", "permutations"):
        given = getattr(procedure, name)
        if given < 1:
            raise UsageError(f"{name} is {given}. Nothing would be drawn. Give at least 1.")
    for name in ("level", "alpha"):
        given = getattr(procedure, name)
        if not 0 < given < 1:
            raise UsageError(f"{name} is {given}. It is a probability. Give a number between 0 and 1.")
    if procedure.seed < 0:
        raise UsageError(f"seed is {procedure.seed}. The generator takes none below 0. Give 0 or more.")


def _means(values: Floats, procedure: Procedure, groups: Sequence[str] | None) -> Floats:
    images, metrics, runs = values.shape
    flat = values.reshape(images, metrics * runs)
    means = resampled_means(flat, resamples=procedure.resamples, seed=procedure.seed, groups=groups)
    return means.reshape(procedure.resamples, metrics, runs)


def _p_values(values: Floats, procedure: Procedure, groups: Sequence[str] | None) -> Floats:
    _, metrics, runs = values.shape
    if runs == 1:
        return np.ones((metrics, 1, 1))  # no pair: spare the draws
    draws, seed = procedure.permutations, procedure.seed
    return sign_flip_test(values, permutations=draws, seed=seed, groups=groups).p
