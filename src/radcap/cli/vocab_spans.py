"""A text with the concepts in it made visible: coloured by semantic group, or in brackets.

Invariant: without the brackets the text is what was given, less what would steer a terminal; a file and a
pipe get brackets and no colours.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from radcap.report.markup import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from radcap.vocabulary.linking.mentions import Mention

__all__ = ["bracketed", "coloured", "has_colours"]

_BOLD, _NO, _STRUCK, _SLANTED = "1", "0", "9", "3"
_COLOURS = {
    **{"DISO": "31", "ANAT": "32", "PROC": "36", "DEVI": "35", "CHEM": "33", "PHYS": "34", "PHEN": "34"},
    **{"CONC": "94", "LIVB": "92", "OBJC": "95"},
}
_OTHER = "4"  # underlined


def has_colours() -> bool:
    """Whether the reader of stdout sees colours and wants them."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def bracketed(text: str, mentions: Sequence[Mention]) -> str:
    """The text with each kept mention in brackets; `-` says that it is absent, `?` that it is unsure."""
    return "".join(
        piece if one is None else f"[{'-' * one.negated}{'?' * one.uncertain}{piece}]"
        for piece, one in _pieces(text, mentions)
    )


def coloured(text: str, mentions: Sequence[Mention]) -> str:
    """The text with each kept mention in the colour of its group, and a legend of the groups there are."""
    from radcap.vocabulary.semantic_types import semantic_types

    known = semantic_types()
    painted: list[str] = []
    legend: dict[str, str] = {}
    for piece, one in _pieces(text, mentions):
        if one is None:
            painted.append(piece)
            continue
        kind = known.get(one.types[0]) if one.types else None
        colour = _COLOURS.get(kind.group, _OTHER) if kind else _OTHER
        legend[kind.group_name if kind else "no known type"] = colour
        marks = ";".join((_BOLD, colour, *[_STRUCK] * one.negated, *[_SLANTED] * one.uncertain))
        painted.append(_paint(piece, marks))
    told = "  ".join(_paint(name, f"{_BOLD};{colour}") for name, colour in legend.items())
    return f"{''.join(painted)}\n{told}" if told else "".join(painted)


def _paint(text: str, marks: str) -> str:
    return f"\x1b[{marks}m{text}\x1b[{_NO}m"


def _pieces(text: str, mentions: Sequence[Mention]) -> Iterator[tuple[str, Mention | None]]:
    """The text in pieces that can be shown, each with the mention it is."""
    end = 0
    for one in sorted(mentions, key=lambda one: one.start):
        if one.kept and one.start >= end:  # other extractors may give one inside another
            yield _shown(text[end : one.start]), None
            yield _shown(text[one.start : one.end]), one
            end = one.end
    yield _shown(text[end:]), None


def _shown(text: str) -> str:
    """What stdout can take of a piece."""
    encoding = sys.stdout.encoding or "utf-8"
    return visible(text).encode(encoding, "backslashreplace").decode(encoding)
