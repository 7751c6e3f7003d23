"""Comparisons as tables: the board for people, flat rows for programs.

Invariant: tables for people have six digits, flat ones every digit; the order is that of the standings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.names import counted
from radcap.report.tables import Table, digits
from radcap.report.verdict import between, percent, probability

if TYPE_CHECKING:
    from radcap.stats.comparison import Comparison, MetricComparison, PairTest, RankRange, Standing

__all__ = ["board_table", "flat_pairs", "flat_standings", "pair_table", "rank_range"]


def rank_range(ranks: RankRange) -> str:
    """Words, since a spreadsheet takes 1-3 for a day."""
    return f"{ranks.best}" if ranks.best == ranks.worst else f"{ranks.best} to {ranks.worst}"


def board_table(comparison: Comparison, ranked: MetricComparison | None = None) -> Table:
    """The leaderboard by one metric, the primary one if none is named; other metrics stand beside it."""
    ranked = ranked or comparison.primary
    others = [one for one in comparison.metrics if one.metric != ranked.metric]
    columns = ("rank", "run", ranked.metric, "interval", "letters", "ranks")
    rows = tuple(
        (*_board_row(one), *(_beside(other, one.run) for other in others)) for one in ranked.standings
    )
    return Table(
        (*columns, *(one.metric for one in others)),
        rows,
        f"{ranked.metric}{_images(ranked, comparison)}, {percent(comparison.procedure.level)} intervals",
        right=frozenset({"rank", ranked.metric, "interval"}),
    )


def _images(metric: MetricComparison, comparison: Comparison) -> str:
    counts = sorted({one.n for one in metric.standings})
    if len(counts) != 1:
        return ""
    groups = "" if comparison.groups is None else f" in {counted(comparison.groups, 'group')}"
    return f" on {counted(counts[0])}{groups}"


def _board_row(one: Standing) -> tuple[str, ...]:
    cells = (digits(one.value), between(one.interval), one.letters, rank_range(one.ranks))
    return (str(one.rank), one.run, *cells)


def _beside(metric: MetricComparison, run: str) -> str:
    found = next((one for one in metric.standings if one.run == run), None)
    return "-" if found is None else f"{digits(found.value)} {found.letters}".rstrip()


def pair_table(metric: MetricComparison) -> Table:
    """Every pair with its tests; the difference is the first run less the second."""
    columns = ("first", "second", "difference", "interval", "p", "p_holm", "p_bootstrap")
    counts = ("wins", "ties", "losses")
    return Table(
        (*columns, *counts),
        tuple(map(_pair_row, metric.pairs)),
        f"{metric.metric}: first less second",
        right=frozenset({*columns[2:], *counts}),
    )


def _pair_row(pair: PairTest) -> tuple[str, ...]:
    tests = map(probability, (pair.p, pair.p_holm, pair.p_bootstrap))
    counts = (f"{count:,}" for count in (pair.wins, pair.ties, pair.losses))
    return (pair.first, pair.second, digits(pair.difference), between(pair.interval), *tests, *counts)


def flat_standings(comparison: Comparison) -> Table:
    """One row per metric and run, for CSV."""
    text = ("metric", "run", "letters")
    columns = ("metric", "run", "rank", "value", "low", "high", "rank_best", "rank_worst", "letters", "n")
    rows = tuple(
        _flat_standing(metric.metric, one) for metric in comparison.metrics for one in metric.standings
    )
    return Table(columns, rows, right=frozenset(columns) - frozenset(text))


def _flat_standing(metric: str, one: Standing) -> tuple[str, ...]:
    numbers = map(_exact, (one.value, one.interval.low, one.interval.high))
    ranks = (str(one.ranks.best), str(one.ranks.worst))
    return (metric, one.run, str(one.rank), *numbers, *ranks, one.letters, str(one.n))


def flat_pairs(comparison: Comparison) -> Table:
    """One row per metric and pair, for CSV."""
    numbers = ("difference", "low", "high", "p", "p_holm", "p_bootstrap", "wins", "ties", "losses")
    rows = tuple(_flat_pair(metric.metric, pair) for metric in comparison.metrics for pair in metric.pairs)
    return Table(("metric", "first", "second", *numbers), rows, right=frozenset(numbers))


def _flat_pair(metric: str, pair: PairTest) -> tuple[str, ...]:
    values = (pair.difference, pair.interval.low, pair.interval.high, pair.p, pair.p_holm, pair.p_bootstrap)
    counts = (pair.wins, pair.ties, pair.losses)
    return (metric, pair.first, pair.second, *map(_exact, values), *map(str, counts))


def _exact(value: float) -> str:
    return repr(float(value))  # the number types of numpy would write their own name
