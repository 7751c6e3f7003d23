"""Charts of a comparison: values with their intervals, and ranks with their ranges.

Invariant: each chart says in words what it shows, for those who hear it; nothing is told by colour alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.axis import axis_over, drawable, rank_axis
from radcap.report.comparison_tables import rank_range
from radcap.report.row_chart import WIDE, Form, Row, row_chart
from radcap.report.tables import digits
from radcap.report.verdict import between, pairs_of, percent

if TYPE_CHECKING:
    from radcap.report.markup import Markup
    from radcap.stats.comparison import MetricComparison, Procedure, Standing

__all__ = ["interval_chart", "rank_chart"]


def interval_chart(metric: MetricComparison, procedure: Procedure, form: Form = WIDE) -> Markup:
    """A dot and a whisker for each run, the best on top; hollow where the leader is separable from it."""
    near = _near(metric, procedure)
    rows = [_value_row(one, one.run in near) for one in metric.standings]
    ends = [end for row in rows for end in (row.low, row.value, row.high) if drawable(end)]
    axis = axis_over(ends, wanted=(form.right - form.left) // 55)
    about = f"{metric.metric} with {percent(procedure.level)} intervals, best first: {_listed(rows)}."
    return row_chart(rows, axis, metric.metric, about, form)


def rank_chart(metric: MetricComparison, procedure: Procedure, form: Form = WIDE) -> Markup:
    """The ranks each run takes over the resamples, its own rank marked."""
    near = _near(metric, procedure)
    rows = [_rank_row(one, one.run in near) for one in metric.standings]
    about = f"Ranks in {metric.metric} with {percent(procedure.level)} ranges: {_listed(rows)}."
    return row_chart(rows, rank_axis(len(rows)), f"rank in {metric.metric}", about, form)


def _near(metric: MetricComparison, procedure: Procedure) -> set[str]:
    """The leader and the runs it is not separable from."""
    leader = metric.standings[0].run
    tests = pairs_of(metric, leader)
    return {leader, *(run for run, pair in tests.items() if not procedure.separates(pair))}


def _value_row(one: Standing, solid: bool) -> Row:
    return Row(
        one.run,
        one.letters,
        low=one.interval.low,
        value=one.value,
        high=one.interval.high,
        label=digits(one.value),
        solid=solid,
        detail=f"{digits(one.value)} {between(one.interval)}",
    )


def _rank_row(one: Standing, solid: bool) -> Row:
    return Row(
        one.run,
        one.letters,
        low=one.ranks.best,
        value=one.rank,
        high=one.ranks.worst,
        label=rank_range(one.ranks),
        solid=solid,
        detail=f"rank {one.rank}, range {rank_range(one.ranks)}",
    )


def _listed(rows: list[Row]) -> str:
    return "; ".join(f"{row.name} {row.detail}" for row in rows)
