"""The best system of each edition on the board that ships, and what to read them beside.

Invariant: nothing is measured here; systems that stand on a shipped model lead nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, cast

from radcap.report import Table
from radcap.report.axis import axis_over
from radcap.report.html import figure
from radcap.report.row_chart import NARROW, WIDE, Row, row_chart
from radcap.systems.board.kept import kept_scores
from radcap.systems.catalogue import systems_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.detection.system import ConceptSystem
    from radcap.report.markup import Markup
    from radcap.report.row_chart import Form
    from radcap.systems.board.kept import KeptScore

__all__ = ["Leader", "leaders", "leaders_chart", "leaders_figure", "leaders_table"]

_FLOOR = ("radcap/random-concepts", "radcap/frequent-concepts")  # eyes from nothing, and no eyes at all
_WORDS = (
    "F1 on the bundled test images with 95 % intervals: the best of each edition, then radcap's own best, one"
    " without ImageNet weights, and the commonest concepts for every image. All learnt from the same images,"
    " the published ones over stand-ins of one family of networks. Hollow: radcap's own."
)


@dataclass(frozen=True, slots=True)
class Leader:
    """A system of the catalogue and what it scored on the bundled data."""

    system: ConceptSystem
    score: KeptScore

    @property
    def name(self) -> str:
        return self.system.name

    @property
    def is_published(self) -> bool:
        return self.system.edition != "radcap"


def leaders() -> tuple[Leader, ...]:
    """The best of each edition in their order, ours behind them, then the floor."""
    kept = kept_scores()
    systems = cast("Sequence[ConceptSystem]", systems_of("concepts"))
    known = [Leader(one, kept[one.name]) for one in systems if one.name in kept]
    fair = sorted((one for one in known if not one.score.borrowed), key=_order)
    best = [max(some, key=lambda one: one.score.f1) for _, some in groupby(fair, key=_order)]
    floor = [one for name in _FLOOR for one in fair if one.name == name]
    return (*best, *(one for one in floor if one not in best))


def _order(one: Leader) -> tuple[bool, str]:
    return not one.is_published, one.system.edition


def leaders_table(found: Sequence[Leader]) -> Table:
    """Each with its published score, which belongs to other data, beside the one measured here."""
    rows = tuple(
        (
            one.name,
            one.system.family,
            f"{one.system.published['f1']:.4f}" if "f1" in one.system.published else "",
            f"{one.score.f1:.4f}",
            f"{one.score.low:.4f}-{one.score.high:.4f}",
        )
        for one in found
    )
    columns = ("system", "family", "published", "here", "95 %")
    return Table(columns, rows, right=frozenset({"published", "here", "95 %"}))


def leaders_figure(found: Sequence[Leader]) -> Markup:
    """The chart for a page of ours, in both forms."""
    return figure(leaders_chart(found, WIDE), leaders_chart(found, NARROW), _WORDS)


def leaders_chart(found: Sequence[Leader], form: Form = WIDE) -> Markup:
    """One of the forms alone: a point and its interval for each."""
    rows = [_row(one) for one in found]
    axis = axis_over([end for row in rows for end in (row.low, row.high)], (form.right - form.left) // 55)
    about = "; ".join(f"{row.name} {row.detail}" for row in rows)
    return row_chart(rows, axis, "F1", f"F1 of the best system of each edition: {about}", form)


def _row(one: Leader) -> Row:
    score = one.score
    return Row(
        one.name.removesuffix("-concepts"),
        "",
        low=score.low,
        value=score.f1,
        high=score.high,
        label=f"{score.f1:.4f}",
        solid=one.is_published,
        detail=f"{score.f1:.4f}, 95 % interval {score.low:.4f} to {score.high:.4f}",
    )
