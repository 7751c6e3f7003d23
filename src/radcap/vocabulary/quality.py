"""How well concepts found in captions agree with those somebody gave the captions.

Invariant: only concepts of the closed set count, on both sides: what the vocabulary cannot know is no miss,
and what the truth cannot hold is no invention. Counts are of caption-concept pairs, so the figures are micro
averages; `f1_mean` is the mean over captions that the challenge reports.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.stats.bootstrap import percentile_interval, resampled_means

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from radcap.core import Cui
    from radcap.stats import Interval

__all__ = ["Agreement", "Error", "TypeAgreement", "measure_agreement"]

_RESAMPLES, _SEED, _LEVEL = 1000, 0, 0.95


@dataclass(frozen=True, slots=True)
class TypeAgreement:
    """Hits, inventions and misses among the concepts of one semantic type."""

    tui: str
    hits: int
    invented: int
    missed: int

    @property
    def precision(self) -> float:
        return _share(self.hits, self.hits + self.invented)

    @property
    def recall(self) -> float:
        return _share(self.hits, self.hits + self.missed)

    @property
    def f1(self) -> float:
        return _share(2 * self.hits, 2 * self.hits + self.invented + self.missed)


@dataclass(frozen=True, slots=True)
class Error:
    """A concept that was missed or invented in `count` captions, and one of them."""

    cui: Cui
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was measured on `captions` captions with `concepts` concepts in the closed set."""

    captions: int
    concepts: int
    whole: TypeAgreement
    f1_mean: float
    f1_interval: Interval
    by_type: tuple[TypeAgreement, ...]
    missed: tuple[Error, ...]
    invented: tuple[Error, ...]


def measure_agreement(
    found: Mapping[str, AbstractSet[Cui]],
    truth: Mapping[str, AbstractSet[Cui]],
    closed: AbstractSet[Cui],
    types: Callable[[Cui], Sequence[str]],
    errors: int = 20,
) -> Agreement:
    """Compare concept sets by caption id, over the ids of the truth."""
    hits: Counter[Cui] = Counter()
    invented, missed = _Errors(), _Errors()
    scores: list[float] = []
    for image_id, labels in truth.items():
        wanted, got = labels & closed, found.get(image_id, frozenset[str]()) & closed
        hits.update(wanted & got)
        invented.add(got - wanted, image_id)
        missed.add(wanted - got, image_id)
        scores.append(2 * len(wanted & got) / (len(wanted) + len(got)) if wanted or got else 1.0)
    values = np.array(scores).reshape(-1, 1)
    means = resampled_means(values, resamples=_RESAMPLES, seed=_SEED)[:, 0]
    return Agreement(
        len(truth),
        len(closed),
        TypeAgreement("all", hits.total(), invented.counts.total(), missed.counts.total()),
        float(np.mean(values)),
        percentile_interval(means, _LEVEL),
        _by_type(hits, invented.counts, missed.counts, types),
        missed.largest(errors),
        invented.largest(errors),
    )


class _Errors:
    """Concepts counted, with the first caption of each."""

    def __init__(self) -> None:
        self.counts: Counter[Cui] = Counter()
        self._example: dict[Cui, str] = {}

    def add(self, cuis: AbstractSet[Cui], image_id: str) -> None:
        self.counts.update(cuis)
        for cui in cuis:
            self._example.setdefault(cui, image_id)

    def largest(self, count: int) -> tuple[Error, ...]:
        order = sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(Error(cui, n, self._example[cui]) for cui, n in order[:count])


def _by_type(
    hits: Counter[Cui], invented: Counter[Cui], missed: Counter[Cui], types: Callable[[Cui], Sequence[str]]
) -> tuple[TypeAgreement, ...]:
    """The same by semantic type, most frequent first; a concept of two types counts in both."""
    counts: dict[str, list[int]] = {}
    for place, counted in enumerate((hits, invented, missed)):
        for cui, n in counted.items():
            for tui in types(cui) or ("unknown",):
                counts.setdefault(tui, [0, 0, 0])[place] += n
    rows = (TypeAgreement(tui, *three) for tui, three in counts.items())
    return tuple(sorted(rows, key=lambda row: (-row.hits - row.missed, row.tui)))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
