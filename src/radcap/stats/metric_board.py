"""Standings and pairs of one metric, from what was drawn for all metrics.

Invariant: runs stand best first, equal values by name, so that nothing depends on the order they came in.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from radcap.stats.bootstrap import paired_bootstrap_p, percentile_interval
from radcap.stats.comparison import MetricComparison, PairTest, Standing
from radcap.stats.holm import holm_adjusted
from radcap.stats.letters import compact_letters
from radcap.stats.rank_ranges import resampled_rank_ranges
from radcap.stats.ranks import ranks
from radcap.stats.wins import count_wins

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.core import Score
    from radcap.stats.arrays import Floats
    from radcap.stats.comparison import Procedure

__all__ = ["MetricBoard"]


@dataclass(frozen=True, slots=True)
class MetricBoard:
    """All runs under one metric; scores and columns in the order of the standings."""

    names: tuple[str, ...]
    scores: tuple[Score, ...]
    values: Floats  # (images, runs)
    means: Floats  # (resamples, runs)
    p: Floats  # (runs, runs)

    @classmethod
    def of(cls, scores: Mapping[str, Score], values: Floats, means: Floats, p: Floats) -> MetricBoard:
        """Bring runs into the order of the standings; columns come in the order of `scores`."""
        given = list(scores.items())
        order = sorted(range(len(given)), key=lambda place: (-given[place][1].value, given[place][0]))
        return cls(
            tuple(given[place][0] for place in order),
            tuple(given[place][1] for place in order),
            values[:, order],
            means[:, order],
            p[np.ix_(order, order)],
        )

    def compared(self, metric: str, procedure: Procedure) -> MetricComparison:
        pairs = self._pairs(procedure.level)
        standings = self._standings(procedure.level, self._letters(pairs, procedure))
        return MetricComparison(metric, self.scores[0].signature, standings, pairs)

    def _pairs(self, level: float) -> tuple[PairTest, ...]:
        places = list(combinations(range(len(self.names)), 2))
        adjusted = holm_adjusted([float(self.p[pair]) for pair in places])
        return tuple(
            self._pair(first, second, p_holm, level)
            for (first, second), p_holm in zip(places, adjusted, strict=True)
        )

    def _pair(self, first: int, second: int, p_holm: float, level: float) -> PairTest:
        difference = self.scores[first].difference(self.scores[second])
        resampled = self.means[:, first] - self.means[:, second]
        counted = count_wins(self.values[:, first], self.values[:, second])
        return PairTest(
            first=self.names[first],
            second=self.names[second],
            difference=difference,
            interval=percentile_interval(resampled, level),
            p=float(self.p[first, second]),
            p_holm=p_holm,
            p_bootstrap=paired_bootstrap_p(resampled, difference),
            wins=counted.wins,
            ties=counted.ties,
            losses=counted.losses,
        )

    def _letters(self, pairs: Sequence[PairTest], procedure: Procedure) -> list[str]:
        apart = {frozenset({pair.first, pair.second}) for pair in pairs if procedure.separates(pair)}
        return compact_letters(
            [[frozenset({one, other}) in apart for other in self.names] for one in self.names]
        )

    def _standings(self, level: float, letters: Sequence[str]) -> tuple[Standing, ...]:
        ranked = [rank for rank in ranks([score.value for score in self.scores]) if rank is not None]
        ranges = resampled_rank_ranges(self.means, level)
        return tuple(
            Standing(
                run=name,
                value=score.value,
                n=score.n,
                interval=percentile_interval(self.means[:, place], level),
                rank=ranked[place],  # values are finite, so each run has one
                ranks=ranges[place],
                letters=letters[place],
            )
            for place, (name, score) in enumerate(zip(self.names, self.scores, strict=True))
        )
