"""The caption as buttons, and the list of the other statements.

Invariant: every statement has a button that says whether it is the one that is shown; each concept is listed
once with its probability, also where it has a button in the caption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.values import Kind
from radcap.explanation.viewer.statements import parted
from radcap.report.markup import Markup, element, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.viewer.statements import Statement

__all__ = ["badge", "statement_buttons"]


def badge(one: Statement) -> Markup:
    """The number on its colour, or nothing."""
    if one.number is None:
        return Markup("")
    return element("span", str(one.number), class_=f"badge {one.colour}")


def statement_buttons(caption: str, made: Sequence[Statement], first: Statement | None) -> Markup:
    """The caption, then what else was found, with its probability."""
    pieces, rest = parted(caption, made)
    words = [
        element("span", text) if one is None else _word(text, one, pressed=one is first)
        for text, one in pieces
    ]
    inner = [one for one in rest if one.evidence.kind in {Kind.WORD, Kind.SPAN}]
    others = _concepts(made, [one for one in rest if one not in inner])
    said = element("p", *words, class_="caption") if words else element("p", element("em", "No caption."))
    return joined(
        [
            element("h3", "Caption"),
            said,
            _listed("Concepts and comparisons, with their probabilities", others, first),
            _listed("Words inside a term", inner, first),
        ]
    )


def _concepts(made: Sequence[Statement], unplaced: Sequence[Statement]) -> list[Statement]:
    """Those without a place in the caption, and those with one whose probability stands nowhere else."""
    told = {one.evidence.cui or one.mark for one in unplaced}
    kept = [one for one in made if one.evidence.kind is not Kind.WORD]  # words have theirs beside the caption
    placed = [one for one in kept if one.evidence.probability is not None and one not in unplaced]
    all_of_them = [*unplaced, *(one for one in placed if (one.evidence.cui or one.mark) not in told)]
    return sorted(all_of_them, key=lambda one: -(one.evidence.probability or 0))


def _word(text: str, one: Statement, *, pressed: bool) -> Markup:
    return element("button", badge(one), text, **_attributes(one, "word", pressed=pressed))


def _listed(heading: str, made: Sequence[Statement], first: Statement | None) -> Markup:
    if not made:
        return Markup("")
    rows = [element("li", _row(one, pressed=one is first)) for one in made]
    return joined([element("h3", heading), element("ul", *rows, class_="concepts")])


def _row(one: Statement, *, pressed: bool) -> Markup:
    chance = one.evidence.probability
    parts = [badge(one), element("span", one.evidence.label or one.evidence.key, class_="name")]
    if chance is not None:
        bar = element("i", style=f"width: {100 * min(max(chance, 0), 1):.1f}%")
        parts.append(element("span", bar, class_="bar", aria_hidden="true"))
        parts.append(
            element("span", element("span", "probability ", class_="said"), f"{chance:.2f}", class_="chance")
        )
    return element("button", *parts, **_attributes(one, "concept", pressed=pressed))


def _attributes(one: Statement, kind: str, *, pressed: bool) -> dict[str, str]:
    bare = " bare" if one.evidence.map is None else ""
    return {
        "type": "button",
        "class_": f"statement {kind}{bare} {one.colour or ''}".strip(),
        "data_mark": one.mark,
        "aria_pressed": "true" if pressed else "false",
    }
