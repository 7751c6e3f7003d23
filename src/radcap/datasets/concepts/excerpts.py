"""A caption with the words that speak of a concept marked, cut where it is long.

Invariant: what is shown is the caption sign for sign; the first place is always shown whole. Places come in
the order of the text, a longer one before those inside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.markup import Markup, element, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.vocabulary import Mention

__all__ = ["excerpt"]

_ROOM = 300  # letters
_CUT = "\u2026"


def excerpt(text: str, places: Sequence[Mention], room: int = _ROOM) -> Markup:
    """The caption around its first marked place; of a caption without one, its beginning."""
    start, end = _window(text, places, room)
    parts = [_CUT if start else ""]
    at = start
    for place in places:
        if place.start < at or place.end > end:  # inside one that is marked, or beyond the end
            continue
        parts += [text[at : place.start], element("mark", *_denied(place), text[place.start : place.end])]
        at = place.end
    return joined([*parts, text[at:end], _CUT if end < len(text) else ""])


def _denied(place: Mention) -> list[Markup]:
    """Those who hear the page hear the verdict too, where those who see it read the words around."""
    return [element("span", "(denied) ", class_="said")] if place.negated else []


def _window(text: str, places: Sequence[Mention], room: int) -> tuple[int, int]:
    """Where the excerpt starts and ends, between words where there are any near."""
    if len(text) <= room:
        return 0, len(text)
    first, last = (places[0].start, places[0].end) if places else (0, 0)
    start = max(0, min(first - room // 3, len(text) - room))
    if start:
        start = text.find(" ", start, first) + 1 or start
    end = max(start + room, last)
    return start, max(last, text.rfind(" ", start, end)) if end < len(text) else len(text)
