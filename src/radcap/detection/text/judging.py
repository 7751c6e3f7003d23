"""What is read in the words for held-out images, and what is fitted on that.

Invariant: every held-out image is decided by a calibration and a rule that did not see it; both are fitted on
images that have words, and the others count with no concept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.decisions import cross_fit, sample_f1
from radcap.detection.examples import groups_of, label_matrix
from radcap.detection.models.answers import Answers
from radcap.detection.training.judging import Judged
from radcap.stats import percentile_interval, resampled_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.detection.decisions import CrossFitted
    from radcap.detection.system import ConceptModel
    from radcap.detection.text.told import Told
    from radcap.detection.training.parts import Parts

__all__ = ["judge_words"]

_LEVEL, _RESAMPLES = 0.95, 1000  # as of other models


def judge_words(model: ConceptModel, parts: Parts, told: Told, found: NDArray[Any]) -> Judged:
    """The held-out images, decided out of fold."""
    assert parts.held is not None  # noqa: S101 - or there would be no words
    words = told.has_words
    if found.dtype == np.bool_:
        return Judged(Answers(told.ids, parts.labels, found & words[:, None]), parts.held)
    logits, groups = found.astype(np.float32, copy=False), groups_of(parts.held, told.ids)
    place = {one: row for row, one in enumerate(parts.held.ids)}
    truth = label_matrix(parts.held.take([place[one] for one in told.ids]), parts.labels)
    crossed = cross_fit(
        model.calibration,
        model.decision,
        logits[words],
        truth[words],
        parts.labels,
        [one for one, has in zip(groups, words.tolist(), strict=True) if has],
        seed=model.train.seed,
        train_truth=label_matrix(parts.fit, parts.labels),
    )
    if not words.all():
        crossed = _widened(crossed, logits, truth, words, groups, model.train.seed)
    answers = Answers(told.ids, parts.labels, crossed.decided, logits, crossed.probabilities)
    return Judged(answers, parts.held, crossed)


def _widened(
    crossed: CrossFitted,
    logits: NDArray[np.float32],
    truth: NDArray[np.bool_],
    words: NDArray[np.bool_],
    groups: list[str],
    seed: int,
) -> CrossFitted:
    """The same over all images: those without words are in no fold (-1) and have no concept."""
    probabilities, decided = crossed.calibrator(logits), np.zeros_like(truth)
    probabilities[words], decided[words] = crossed.probabilities, crossed.decided
    folds = np.full(len(words), -1, crossed.folds.dtype)
    folds[words] = crossed.folds
    f1 = sample_f1(decided, truth)
    means = resampled_means(f1[:, None], resamples=_RESAMPLES, seed=seed, groups=groups)
    interval = percentile_interval(means[:, 0], _LEVEL)
    return replace(
        crossed, probabilities=probabilities, decided=decided, f1=f1, interval=interval, folds=folds
    )
