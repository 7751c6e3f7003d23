"""Several runs on one metric: values with intervals, ranks, letters, and a test for every pair.

Invariant: all runs were scored on the same images under one signature; the standings are best first,
and a pair is named in their order, so that its difference is never negative.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Comparison", "Interval", "MetricComparison", "PairTest", "Procedure", "RankRange", "Standing"]


@dataclass(frozen=True, slots=True)
class Procedure:
    """How intervals and tests are made; recorded with every result."""

    resamples: int = 1_000  # of the bootstrap
    permutations: int = 10_000
    level: float = 0.95  # of the intervals
    alpha: float = 0.05  # of the letters, after Holm's correction
    seed: int = 2026

    def to_json(self) -> dict[str, float]:
        return asdict(self)

    def _repr_html_(self) -> str:
        from radcap.core.notebooks import html_facts

        counts = {"resamples": f"{self.resamples:,}", "permutations": f"{self.permutations:,}"}
        rest = {"level": f"{self.level:g}", "alpha": f"{self.alpha:g}", "seed": str(self.seed)}
        return html_facts("Procedure", {**counts, **rest})

    def separates(self, pair: PairTest) -> bool:
        """Whether the two runs of a pair differ beyond chance."""
        return pair.p_holm < self.alpha

    def __str__(self) -> str:
        return (
            f"bootstrap:{self.resamples}|permutations:{self.permutations}"
            f"|level:{self.level:g}|alpha:{self.alpha:g}|holm|seed:{self.seed}"
        )


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a value lies, at the level of the procedure."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RankRange:
    """The ranks a run takes over the resamples, at the level of the procedure."""

    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class Standing:
    """One run under one metric."""

    run: str
    value: float
    n: int
    interval: Interval
    rank: int  # competition ranks: equal values share the best one (1, 2, 2, 4)
    ranks: RankRange
    letters: str  # runs that share a letter are not separable


@dataclass(frozen=True, slots=True)
class PairTest:
    """Whether two runs differ. `first` is the one with the higher value."""

    first: str
    second: str
    difference: float
    interval: Interval  # of the difference, by paired bootstrap
    p: float  # paired sign-flip permutation, two-sided, never 0
    p_holm: float  # corrected for all pairs of this metric
    p_bootstrap: float  # paired bootstrap, the second opinion
    wins: int  # images where first is higher
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """All runs under one metric."""

    metric: str
    signature: str
    standings: tuple[Standing, ...]
    pairs: tuple[PairTest, ...]

    def standing(self, run: str) -> Standing:
        return next(one for one in self.standings if one.run == run)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All runs under all metrics, the ranking one first."""

    procedure: Procedure
    metrics: tuple[MetricComparison, ...]
    groups: int | None = None  # drawn and flipped as wholes; without it, every image by itself

    @property
    def primary(self) -> MetricComparison:
        return self.metrics[0]

    @property
    def how(self) -> str:
        """The procedure in one line, with the groups where there were some."""
        return f"{self.procedure}" if self.groups is None else f"{self.procedure}|groups:{self.groups}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
