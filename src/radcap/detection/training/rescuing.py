"""Rescue of images with too few labels, fitted on the held-out images.

Invariant: what cannot count, or would count by another network than the margin is of, is refused before
training; every held-out image is rescued by a margin that saw no image of its fold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from radcap.core import UsageError
from radcap.detection.decisions.crossfit import fold_of_each
from radcap.detection.decisions.rescue import cross_rescue, fit_rescue
from radcap.detection.system import models

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.detection.system import ConceptModel, ConceptSystem
    from radcap.detection.training.judging import Judged
    from radcap.detection.training.parts import Parts

__all__ = ["check_rescue", "rescue_judged"]

_FOLDS = 5


def check_rescue(system: ConceptSystem, parts: Mapping[str, Parts]) -> None:
    """Refuse a rescue without a count, by the count of another network, or without images to fit it on."""
    for name, model in models(system).items():
        if model.rescue is not None and not _counts(model):
            raise UsageError(f"[rescue] of {name} needs a head that counts. Write [head] count = true.")
    counting = [_counts(one) for one in system.member]
    searched = system.ensemble.search != "none"
    if system.member and system.rescue is not None and not (all if searched else any)(counting):
        who = "every member, since some are left out by the search" if searched else "one member at least"
        raise UsageError(f"[rescue] needs a head that counts in {who}. Write [head] count = true there.")
    _check_refits(system)
    asked = any(one.rescue is not None for one in (system, *system.member))
    if asked and any(one.held is None for one in parts.values()):
        raise UsageError(
            f"[rescue] is fitted on the split {system.data.held!r}, and there is none."
            " Delete the table, or give a dataset with that split."
        )


def _check_refits(system: ConceptSystem) -> None:
    """What a refit counts is known of no held-out image, since it learnt from all of them."""
    for name, model in models(system).items():
        rescued = model.rescue is not None or (system.rescue is not None and _counts(model))
        if rescued and model.train.refit:
            raise UsageError(
                f"[rescue] is fitted on what {name} counts, and refit = true trains another network that"
                " counts otherwise. Delete [rescue], or write [train] refit = false."
            )


def _counts(model: ConceptModel) -> bool:
    """Whether a network counts labels; words do not."""
    return model.head.count and model.text is None


def rescue_judged(
    model: ConceptModel,
    judged: Judged,
    scores: NDArray[Any],
    truth: NDArray[np.bool_],
    groups: Sequence[str],
) -> Judged:
    """The judged answers with labels where there were too few; `scores` say which labels are likeliest."""
    answers, crossed, seed = judged.answers, judged.crossed, model.train.seed
    if model.rescue is None or answers.counts is None:
        return judged
    folds = fold_of_each(len(truth), groups, _FOLDS, seed) if crossed is None else crossed.folds
    decided = cross_rescue(model.rescue, answers.decided, scores, answers.counts, truth, folds)
    if crossed is not None:
        crossed = crossed.redecided(decided, truth, groups, seed=seed)
    rescue = fit_rescue(model.rescue, answers.counts, truth)
    return replace(judged, answers=replace(answers, decided=decided), crossed=crossed, rescue=rescue)
