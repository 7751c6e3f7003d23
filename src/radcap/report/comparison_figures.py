"""The charts of a comparison with the words below them, each in a form for wide and for narrow windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.charts import interval_chart, rank_chart
from radcap.report.histogram import histogram, outcome
from radcap.report.html import figure
from radcap.report.names import counted
from radcap.report.row_chart import NARROW
from radcap.report.verdict import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.report.markup import Markup
    from radcap.stats.comparison import MetricComparison, Procedure

__all__ = ["difference_figure", "interval_figure", "rank_figure"]

_KEY = (
    " Filled: the leader and the runs it is not separable from. Hollow: separable from the leader. "
    "Runs that share a letter are not separable."
)


def interval_figure(metric: MetricComparison, procedure: Procedure) -> Markup:
    """Values with intervals."""
    words = f"{metric.metric} with {percent(procedure.level)} intervals.{_KEY if metric.pairs else ''}"
    return figure(interval_chart(metric, procedure), interval_chart(metric, procedure, NARROW), words)


def rank_figure(metric: MetricComparison, procedure: Procedure) -> Markup:
    """Ranks with ranges."""
    words = (
        f"Ranks in {metric.metric}: the dot is the rank on all images, "
        f"the line spans the ranks taken in {percent(procedure.level)} of the resamples."
    )
    return figure(rank_chart(metric, procedure), rank_chart(metric, procedure, NARROW), words)


def difference_figure(metric: str, differences: Sequence[float], names: tuple[str, str]) -> Markup:
    """Differences per image."""
    first, second = names
    found = outcome(differences)
    words = (
        f"{metric} per image, {second} less {first}: {second} is higher on {counted(found.higher)}, "
        f"{first} on {found.lower:,}. On {found.equal:,} both score the same; these are not drawn."
    )
    return figure(histogram(differences, names), histogram(differences, names, NARROW.width), words)
