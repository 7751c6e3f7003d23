"""A comparison as one HTML file that can be read, printed, sent and kept.

Invariant: it shows the values it was given and computes none; it holds no address outside itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from radcap.core import NAMES
from radcap.report.changes import change_groups
from radcap.report.comparison_figures import difference_figure, interval_figure, rank_figure
from radcap.report.comparison_tables import board_table, pair_table
from radcap.report.html import facts_list, page, section, table_box
from radcap.report.markup import Markup, element, joined
from radcap.report.method import method
from radcap.report.names import counted
from radcap.report.pair_matrix import pair_matrix
from radcap.report.verdict import lead, summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.report.changes import Change
    from radcap.report.tables import Table
    from radcap.stats.comparison import Comparison, MetricComparison, Procedure

__all__ = ["comparison_page"]

_LISTED = 6  # runs whose pairs are read as a list; more of them make a matrix


class _Part(NamedTuple):
    key: str
    heading: str
    body: Markup


def comparison_page(
    comparison: Comparison,
    *,
    title: str,
    facts: Sequence[tuple[str, str]] = (),
    beside: Table | None = None,
    changes: Sequence[Change] = (),
    differences: Sequence[float] = (),
    names: tuple[str, str] | None = None,
    concept_names: Mapping[str, str] = NAMES,
) -> str:
    """The whole report.

    `beside` is what the scores hide. `changes` and `differences` (one per image) are about two runs, `names`:
    the second less the first; by default from the runner-up to the leader.
    """
    metric = comparison.primary
    names = names or _top_two(metric)
    parts = [
        _Part("board", "Leaderboard", _board(comparison)),
        _Part("pairs", "Pair by pair", _pairs(metric, comparison.procedure)),
        _Part("beside", "What the scores hide", table_box(beside) if beside else joined([])),
        _Part("images", "Image by image", _images(metric, differences, changes, names, concept_names)),
        _Part("metrics", "Other metrics", _others(comparison)),
        _Part("method", "How it was computed", method(comparison)),
    ]
    parts = [part for part in parts if part.body]
    header = joined(
        [element("p", summary(comparison), class_="summary"), facts_list(facts), _contents(parts)]
    )
    return page(title, header, *(section(*part) for part in parts))


def _top_two(metric: MetricComparison) -> tuple[str, str]:
    best, *rest = (one.run for one in metric.standings)
    return (rest or [best])[0], best


def _contents(parts: Sequence[_Part]) -> Markup:
    links = [element("li", element("a", part.heading, href=f"#{part.key}")) for part in parts]
    return element("nav", element("ul", *links), aria_label="Contents")


def _board(comparison: Comparison) -> Markup:
    metric, procedure = comparison.primary, comparison.procedure
    ranks = rank_figure(metric, procedure) if len(metric.pairs) > 1 else ""  # two runs have their test
    return joined([interval_figure(metric, procedure), table_box(board_table(comparison)), ranks])


def _pairs(metric: MetricComparison, procedure: Procedure) -> Markup:
    """A list, or a matrix with the list behind it; nothing for one run."""
    if not metric.pairs:
        return joined([])
    table = table_box(pair_table(metric))
    if len(metric.standings) <= _LISTED:
        return table
    more = element("summary", f"All {counted(len(metric.pairs), 'pair')} with their tests")
    return joined([pair_matrix(metric, procedure), element("details", more, table)])


def _images(
    metric: MetricComparison,
    differences: Sequence[float],
    changes: Sequence[Change],
    names: tuple[str, str],
    concept_names: Mapping[str, str],
) -> Markup:
    drawn = [difference_figure(metric.metric, differences, names)] if differences else []
    cards = [change_groups(changes, names, concept_names)] if changes else []
    return joined([*drawn, *cards])


def _others(comparison: Comparison) -> Markup:
    """The metrics that do not rank, each behind its name."""
    procedure = comparison.procedure
    return joined(
        element(
            "details",
            element("summary", one.metric, " ", element("span", lead(one))),
            interval_figure(one, procedure),
            pair_matrix(one, procedure) if one.pairs else "",
        )
        for one in comparison.metrics[1:]
    )
