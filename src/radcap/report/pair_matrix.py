"""The corrected p-values of all pairs as a matrix, for boards with too many pairs to read as a list.

Invariant: each value is text; the shade repeats what the text says, and bold type marks separable pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.html import scrolling
from radcap.report.markup import Markup, element
from radcap.report.names import shortened
from radcap.report.verdict import probability

if TYPE_CHECKING:
    from radcap.stats.comparison import MetricComparison, PairTest, Procedure

__all__ = ["pair_matrix"]

_NAME = 32  # letters of a row's name
_STRONG, _STRONGEST = 0.01, 0.001  # below which the shade grows


def pair_matrix(metric: MetricComparison, procedure: Procedure) -> Markup:
    """Runs in the order of the board, each against those above it; a column is named by its place."""
    runs = [one.run for one in metric.standings]
    tests = {frozenset((pair.first, pair.second)): pair for pair in metric.pairs}
    columns = [_column(place, run) for place, run in enumerate(runs[:-1], 1)]
    rows: list[Markup] = []
    for place, run in enumerate(runs, 1):
        cells = [_cell(tests.get(frozenset((run, other))), procedure) for other in runs[: place - 1]]
        blank = [element("td", class_="blank")] * (len(columns) - len(cells))
        rows.append(element("tr", _row_head(place, run), *cells, *blank))
    caption = f"{metric.metric}: p after Holm's correction. Bold on a shade: separable."
    head = element("thead", element("tr", element("th", "run", scope="col"), *columns))
    table = element("table", element("caption", caption), head, element("tbody", *rows), class_="matrix")
    return scrolling(caption, table)


def _column(place: int, run: str) -> Markup:
    return element("th", element("span", f"{run}, ", class_="said"), str(place), scope="col", title=run)


def _row_head(place: int, run: str) -> Markup:
    number = element("span", str(place), class_="place")
    return element("th", number, " ", shortened(run, _NAME), scope="row", title=run)


def _cell(pair: PairTest | None, procedure: Procedure) -> Markup:
    if pair is None:
        return element("td", "-")
    return element("td", probability(pair.p_holm, 2), class_=_shade(pair, procedure))


def _shade(pair: PairTest, procedure: Procedure) -> str | None:
    if not procedure.separates(pair):
        return None
    return f"apart apart{1 + (pair.p_holm < _STRONG) + (pair.p_holm < _STRONGEST)}"
