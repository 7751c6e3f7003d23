"""Minimum Bayes risk: the caption that agrees most with all that could be said.

The agreement of a caption is its mean metric against every caption of the image, itself among them: what it
would score if each of them were as likely to be the truth. A caption that was drawn several times counts as
often, on either side; a caption alone agrees with itself.
Invariant: the metric is that of `radcap.metrics` on the texts as they are, the caption that is judged being
the candidate and the other the reference.
>>> [round(one, 3) for one in consensus(["left lung mass", "lung mass", "liver"])]
[0.6, 0.6, 0.333]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from radcap.core import UsageError
from radcap.metrics import CAPTION_METRICS, TextPairs, caption_metric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.captioning.generation.candidate import Candidate

__all__ = ["Agreement", "agreement", "consensus", "consensus_of_many", "mbr"]

Agreement: TypeAlias = Callable[[Sequence[str], Sequence[str]], Sequence[float]]  # candidates, references

_NOT_OF_PAIRS = {
    "cider": "It weighs words by their rarity among all references",
    "similarity": "It looks at the image",
    "clipscore": "It looks at the image",
    "refclipscore": "It looks at the image",
}
_MOST = 1 << 15  # pairs that are measured at once
_DIGITS = 12  # to which captions agree as well: the rest is the order of a sum


def agreement(metric: str | Agreement) -> Agreement:
    """How well captions agree with others, by the name of a metric of pairs of texts, or by a function."""
    if not isinstance(metric, str):
        return metric
    if metric in _NOT_OF_PAIRS:
        fitting = ", ".join(name for name in CAPTION_METRICS if name not in _NOT_OF_PAIRS)
        why = f"{_NOT_OF_PAIRS[metric]}, and two captions are all there is"
        raise UsageError(f"The metric {metric} cannot say how two captions agree. {why}. Choose: {fitting}.")
    measure = caption_metric(metric).load()
    return lambda candidates, references: measure(TextPairs([*candidates], [*references])).values


def consensus(
    captions: Sequence[str], weights: Sequence[float] | None = None, metric: str | Agreement = "rouge1"
) -> list[float]:
    """The expected agreement of each caption of one image; each is as likely the truth as its weight says."""
    return consensus_of_many([captions], None if weights is None else [weights], metric)[0]


def consensus_of_many(
    groups: Sequence[Sequence[str]],
    weights: Sequence[Sequence[float]] | None = None,
    metric: str | Agreement = "rouge1",
) -> list[list[float]]:
    """The same for many images, whose pairs are measured together."""
    agree = agreement(metric)
    weights = [[1.0] * len(group) for group in groups] if weights is None else weights
    weighed = [_weighed(*both) for both in zip(groups, weights, strict=True)]
    found = [means for batch in _batches(weighed) for means in _agreements(batch, agree)]
    return [[means[text] for text in group] for group, means in zip(groups, found, strict=True)]


def mbr(
    candidates: Sequence[Sequence[Candidate]],
    texts: Sequence[Sequence[str]],
    metric: str | Agreement = "rouge1",
) -> list[list[Candidate]]:
    """The candidates of each image, the one that agrees most first, with that agreement as the score.

    Of those that agree as well, the first stays first; equal texts count by their number and stay one by one.
    """
    found = consensus_of_many(texts, None, metric)
    return [
        sorted(
            (replace(one, score=score) for one, score in zip(group, scores, strict=True)),
            key=lambda one: round(one.score, _DIGITS),
            reverse=True,
        )
        for group, scores in zip(candidates, found, strict=True)
    ]


def _weighed(captions: Sequence[str], weights: Sequence[float]) -> dict[str, float]:
    """The distinct captions with their share."""
    summed: dict[str, float] = defaultdict(float)
    if len(captions) == len(weights) and all(weight >= 0 for weight in weights):
        for caption, weight in zip(captions, weights, strict=True):
            summed[caption] += weight
    total = sum(summed.values())
    if captions and not 0 < total < float("inf"):
        raise UsageError(
            f"There are {len(captions)} captions, and the weights {[*weights][:5]} are given. They are no"
            " shares. Give a number of 0 or more for each caption, and one above 0 at least."
        )
    return {caption: weight / total for caption, weight in summed.items()}


def _batches(groups: Sequence[dict[str, float]]) -> Iterator[list[dict[str, float]]]:
    """Groups, in their order, with so many pairs together."""
    batch: list[dict[str, float]] = []
    pairs = 0
    for group in groups:
        if batch and pairs + len(group) ** 2 > _MOST:
            yield batch
            batch, pairs = [], 0
        batch.append(group)
        pairs += len(group) ** 2
    yield batch


def _agreements(groups: Sequence[dict[str, float]], agree: Agreement) -> list[dict[str, float]]:
    """The mean for each distinct caption of each group."""
    pairs = [pair for group in groups for pair in product(group, group)]
    values = np.array(agree(*([pair[side] for pair in pairs] for side in (0, 1))), np.float64)
    means: list[dict[str, float]] = []
    start = 0
    for group in groups:
        count = len(group)
        table = values[start : start + count * count].reshape(count, count)
        start += count * count
        expected: list[float] = (table @ np.array([*group.values()])).tolist()
        means.append(dict(zip(group, expected, strict=True)))
    return means
