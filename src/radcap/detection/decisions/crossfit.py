"""What a calibration and a rule are worth on images they were not fitted on.

Invariant: every image is decided by a calibrator and a rule that saw none of its group. The pair handed back
for use is fitted on all images, so its own F1 there would be too good.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core.counts import counted
from radcap.core.errors import UsageError
from radcap.detection.calibration import fit_calibration
from radcap.detection.calibration.arrays import checked_labels, checked_logits, checked_truth
from radcap.detection.decisions.f1 import sample_f1
from radcap.detection.decisions.rule import fit_rule
from radcap.stats import Interval, percentile_interval, resampled_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.core.runs import Cui
    from radcap.detection.calibration import Calibration, Calibrator
    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers
    from radcap.detection.decisions.config import Decision
    from radcap.detection.decisions.rule import Rule

__all__ = ["CrossFitted", "cross_fit", "fold_of_each"]

_LEVEL, _RESAMPLES = 0.95, 1000


@dataclass(frozen=True, slots=True, eq=False)
class CrossFitted:
    """Out-of-fold probabilities, decisions and F1, and the pair fitted on everything."""

    probabilities: Numbers
    decided: Bools
    f1: Floats
    interval: Interval
    folds: Ints
    calibrator: Calibrator
    rule: Rule

    @property
    def mean(self) -> float:
        """Mean F1; NaN without an image."""
        return float(self.f1.mean()) if len(self.f1) else float("nan")

    def redecided(
        self, decided: Bools, truth: Bools, groups: Sequence[str] | None = None, *, seed: int = 0
    ) -> CrossFitted:
        """The same with decisions that something else changed, out of fold too."""
        f1 = sample_f1(decided, truth)
        return replace(self, decided=decided, f1=f1, interval=_interval(f1, groups, seed))

    def to_json(self) -> dict[str, Any]:
        """The figures alone."""
        low, high = self.interval.low, self.interval.high
        many = {"n": len(self.f1), "folds": len(np.unique(self.folds))}
        return {"f1": self.mean, "low": low, "high": high, "level": _LEVEL, **many}


def cross_fit(  # noqa: PLR0913 - one value for each choice
    calibration: Calibration,
    decision: Decision,
    logits: NDArray[Any],
    truth: NDArray[Any],
    labels: Sequence[Cui],
    groups: Sequence[str] | None = None,
    *,
    folds: int = 5,
    seed: int = 0,
    train_truth: NDArray[Any] | None = None,
) -> CrossFitted:
    """Fit on all folds but one, decide that one. Images of a group (a patient, an article) stay together.

    The interval is a bootstrap over groups where they are given, else over images.
    """
    names = checked_labels(labels)
    given = checked_logits(logits, len(names))
    known = checked_truth(truth, len(names), len(given))
    fold = fold_of_each(len(given), groups, folds, seed)
    probabilities, decided = np.empty_like(given), np.zeros(known.shape, dtype=np.bool_)

    def fitted(rows: Bools) -> tuple[Calibrator, Rule]:
        calibrator = fit_calibration(calibration, given[rows], known[rows], names)
        held = calibrator(given[rows])
        return calibrator, fit_rule(decision, held, known[rows], names, train_truth=train_truth)

    for one in np.unique(fold).tolist():
        inside = fold == one
        calibrator, rule = fitted(~inside)
        probabilities[inside] = calibrator(given[inside])
        decided[inside] = rule(probabilities[inside])
    f1 = sample_f1(decided, known)
    whole = fitted(np.ones(len(given), dtype=np.bool_))
    return CrossFitted(probabilities, decided, f1, _interval(f1, groups, seed), fold, *whole)


def _interval(f1: Floats, groups: Sequence[str] | None, seed: int) -> Interval:
    if not len(f1):
        return Interval(float("nan"), float("nan"))
    means = resampled_means(f1[:, None], resamples=_RESAMPLES, seed=seed, groups=groups)
    return percentile_interval(means[:, 0], _LEVEL)


def fold_of_each(images: int, groups: Sequence[str] | None, folds: int, seed: int) -> Ints:
    """The fold of each image: groups in random order, the largest first, each to the smallest fold."""
    if folds < 2:  # noqa: PLR2004 - fewer leave nothing to fit on
        raise UsageError(f"folds = {folds} leaves nothing to fit on. Give 2 or more.")
    if groups is not None and len(groups) != images:
        had = counted(len(groups), "group")
        raise UsageError(f"{had} came for {counted(images)}. Give each image its group.")
    member = (
        np.arange(images) if groups is None else np.unique(np.array(groups), return_inverse=True)[1].ravel()
    )
    sizes = np.bincount(member)
    if len(sizes) == 1:
        raise UsageError(
            "All images are of one group, so none can be held out. Give more images, or no groups."
        )
    order = np.random.default_rng(seed).permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    filled, place = np.zeros(folds, dtype=np.int64), np.zeros(len(sizes), dtype=np.int64)
    for group in order.tolist():
        place[group] = smallest = int(np.argmin(filled))
        filled[smallest] += sizes[group]
    return place[member]
