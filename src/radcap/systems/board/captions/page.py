"""The board of captions as one HTML file.

Invariant: it shows the values it was given and computes none; nothing is fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.page.pictures import picture
from radcap.report.axis import axis_over
from radcap.report.html import facts_list, figure, page, section, table_box
from radcap.report.markup import Markup, element, joined
from radcap.report.row_chart import NARROW, WIDE, Row, row_chart
from radcap.report.scatter_chart import Point, scatter_chart
from radcap.systems.board.captions.board import FLOOR
from radcap.systems.board.captions.scores import RANKING
from radcap.systems.board.captions.tables import (
    changes_table,
    costs_table,
    floor_table,
    measures_table,
    missing_table,
    modality_table,
    ranking_table,
    ranks_table,
    told_table,
    untrained_table,
)
from radcap.systems.board.lessons import concordance, cost_table, edition_table, family_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.report.row_chart import Form
    from radcap.report.tables import Table
    from radcap.systems.board.captions.board import CaptionBoard, CaptionRow
    from radcap.systems.board.captions.samples import Sample

__all__ = ["caption_page", "orders_figure"]

_BLEU = "bleu_2022"  # what the edition of 2022 ranked by
_WIDTHS = (640, 360)
_STYLE = """
.samples { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1.5rem; }
.samples .shot { background: #000; text-align: center; }
.samples .shot img { max-width: 100%; height: auto; }
.samples dt { font-size: 0.85rem; color: var(--quiet); margin-top: 0.5rem; }
.samples dd { margin: 0; }
"""
_BORROWED = (
    "A star marks systems that lean on a detector that ships with radcap. It was trained before, with means "
    "of its own, so they are no rivals of the others."
)
_LETTERS = (
    "Systems that share a letter are not separable by paired tests between all of them, which flip whole "
    "groups of images (Holm)."
)
_FLOOR = (
    "The same caption for every image, the caption of an image by lot, and that of the nearest training "
    "image: a system that stays below has learnt less than its captions repeat."
)
_TOLD = (
    "The same models, asked three times: told no concept, those that their detector finds, and the true "
    "ones. A difference whose interval holds no 0 is one. The last column is what a perfect detector would "
    "be worth."
)
_TAU = (
    "Tau compares the published order of an edition, by the measure it ranked by, with the order here: 1 is "
    "the same order, 0 is none, -1 is upside down."
)
_OVERALL = (
    "The overall score of 2025 is made of six measures. Only ROUGE-1 is here as it was, and the F1 of "
    "concepts by the free vocabulary in place of MedCAT; without the others it has no value, and none is "
    "made up."
)


def caption_page(
    board: CaptionBoard, shown: Sequence[Sample], title: str = "Caption systems on one board"
) -> str:
    """The whole page."""
    parts = [
        section("ranking", "Ranking", _chart(board), table_box(ranking_table(board)), _notes(board)),
        *_some("samples", "What they say", _samples(shown) if shown else None),
        section("floor", "The floor", table_box(floor_table(board)), _said(_FLOOR)),
        *_some("told", "What concepts are worth", *_rows(told_table(board), _TOLD)),
        *_some("orders", "What each edition would have ranked first", *_orders(board)),
        section("editions", "What age did to the ranking", table_box(edition_table(board)), _said(_TAU)),
        section("families", "Families", table_box(family_table(board)), table_box(cost_table(board))),
        section("modalities", "By modality", table_box(modality_table(board))),
        *(_measures(board, source) for source in board.images),
        section("costs", "Costs", table_box(costs_table(board))),
        *_some("missing", "What is not measured here", *_rows(missing_table(board), _OVERALL)),
        section("changes", "How systems differ from their files", table_box(changes_table(board))),
        *_some("untrained", "Not trained", *_rows(untrained_table(board))),
    ]
    return page(title, facts_list(_facts(board)), *parts, more_style=_STYLE)


def _some(key: str, heading: str, *parts: Markup | None) -> list[Markup]:
    """A section, where it has something to show."""
    there = [one for one in parts if one is not None]
    return [section(key, heading, *there)] if there else []


def _rows(table: Table, words: str = "") -> list[Markup]:
    """A table and what is to be known of it; nothing where it has no rows."""
    if not table.rows:
        return []
    return [table_box(table), *([_said(words)] if words else [])]


def _facts(board: CaptionBoard) -> list[tuple[str, str]]:
    scales = ", ".join(sorted({one.result.scale for one in board.rows}))
    devices = ", ".join(sorted({one.result.device for one in board.rows}))
    counts = (
        f"{n:,} {source} captions in {board.groups[source]:,} groups" for source, n in board.images.items()
    )
    return [
        ("data", f"{board.data}, test: {' and '.join(counts)}, never scored together"),
        ("ranked by", f"{RANKING.title} on {board.source} captions, as 2025 measures it"),
        ("systems", str(len(board.rows))),
        ("scale", scales),
        ("trained on", devices),
    ]


def _notes(board: CaptionBoard) -> Markup:
    borrowed = any(one.result.borrowed for one in board.rows)
    return joined([_said(_LETTERS), *([_said(_BORROWED)] if borrowed else [])])


def _said(text: str) -> Markup:
    return element("p", text)


def _measures(board: CaptionBoard, source: str) -> Markup:
    heading = f"All measures on {board.images[source]:,} {source} captions"
    return section(f"measures-{source}", heading, table_box(measures_table(board, source)))


def _chart(board: CaptionBoard) -> Markup:
    words = (
        f"{RANKING.title} on {board.source} captions with 95 % intervals over groups of images. Hollow: "
        "leans on a shipped model."
    )
    return figure(_drawn(board, WIDE), _drawn(board, NARROW), words)


def _drawn(board: CaptionBoard, form: Form) -> Markup:
    rows = [_chart_row(one, board.source) for one in board.rows]
    ends = [end for row in rows for end in (row.low, row.high)]
    axis = axis_over(ends, wanted=(form.right - form.left) // 55)
    listed = "; ".join(f"{one.name} {one.label}" for one in rows)
    about = f"{RANKING.title} of {len(rows)} systems, best first: {listed}"
    return row_chart(rows, axis, RANKING.title, about, form)


def _chart_row(one: CaptionRow, source: str) -> Row:
    known = one.figures[source][RANKING.name]
    return Row(
        one.name,
        one.letters,
        low=known.low,
        value=known.value,
        high=known.high,
        label=f"{known.value:.4f}",
        solid=not one.result.borrowed,
        detail=f"{known.value:.4f}, 95 % interval {known.low:.4f} to {known.high:.4f}, letters {one.letters}",
    )


def _orders(board: CaptionBoard) -> list[Markup]:
    """The picture and the ranks, where BLEU was measured."""
    if all(one.name != _BLEU for one in board.measures):
        return []
    return [orders_figure(board), table_box(ranks_table(board))]


def orders_figure(board: CaptionBoard) -> Markup:
    """ROUGE-1 over BLEU as 2022 measured it: who is first by one need not be by the other."""
    pairs = [
        (one.figures[board.source][_BLEU].value, one.figures[board.source][RANKING.name].value)
        for one in board.rows
    ]
    tau = concordance(pairs)
    order = "" if tau is None else f" Kendall's tau of the two orders: {tau:+.2f}."
    words = f"Each point is a system. BLEU drops orders of n-grams without a match, as in 2022.{order}"
    wide, narrow = (_scattered(board, width) for width in _WIDTHS)
    return figure(wide, narrow, words)


def _scattered(board: CaptionBoard, width: int) -> Markup:
    fair = [one for one in board.rows if not one.result.borrowed] or board.rows
    named = {min(fair, key=lambda one: one.ranks[measure]).name for measure in (_BLEU, RANKING.name)}
    named |= {*FLOOR}
    points = [_point(one, board.source, is_named=one.name in named) for one in board.rows]
    about = "; ".join(f"{one.name} {one.detail}" for one in points)
    return scatter_chart(points, ("BLEU as 2022 measured it", RANKING.title), about, width)


def _point(one: CaptionRow, source: str, *, is_named: bool) -> Point:
    bleu, rouge = one.figures[source][_BLEU].value, one.figures[source][RANKING.name].value
    return Point(
        bleu,
        rouge,
        one.name,
        f"BLEU {bleu:.4f} (rank {one.ranks[_BLEU]}), ROUGE-1 {rouge:.4f} (rank {one.rank})",
        solid=not one.result.borrowed,
        is_named=is_named,
    )


def _samples(shown: Sequence[Sample]) -> Markup:
    return element("div", *map(_sample, shown), class_="samples")


def _sample(one: Sample) -> Markup:
    """An image, what is true of it, what is said, and whose it is."""
    true = [
        part
        for source, text in one.true.items()
        for part in (element("dt", f"true, {source}"), element("dd", text))
    ]
    said = [
        part
        for some in one.said
        for part in (element("dt", f"{some.system}, {some.value:.2f}"), element("dd", some.caption))
    ]
    whence = f"{one.record.id}. {one.record.attribution} {one.record.licence}"
    return element(
        "article",
        element("h3", one.modality),
        picture(one.record, one.modality),
        element("dl", *true, *said),
        element("p", whence, class_="legend"),
    )
