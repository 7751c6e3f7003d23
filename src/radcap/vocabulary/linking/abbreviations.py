"""Abbreviations that a text defines itself.

In parentheses, 'superior mesenteric artery (SMA)' and 'SMA (superior mesenteric artery)', after Schwartz and
Hearst (2003), "A simple algorithm for identifying abbreviation definitions in biomedical text": the letters
of the short form are looked for from right to left in the words beside the parenthesis. And in the legends
that end many captions: 'LA, left atrium; LV: left ventricle; Ao = aorta'.
Invariant: a long form holds the letters and digits of its short form in their order, the first one at the
start of a word. What is looked at for one short form is bounded, so the work grows with the text, no faster.
>>> text = "Occlusion of the superior mesenteric artery (SMA, arrow). L = left; Ao, aorta"
>>> [(one.short, text[one.long_start : one.long_end]) for one in definitions(text)]
[('SMA', 'superior mesenteric artery'), ('Ao', 'aorta')]
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Definition", "definitions"]

_SHORTEST, _LONGEST = 2, 10  # letters of a short form
_FEW = 4  # letters of a short form that has less than two capitals
_REACH = 5  # words of a long form beyond the letters of its short form
_LEGEND_REACH = 2  # the same in a legend, where nothing but the letters speaks for it
_WINDOW = 160  # letters that are looked at for a long form

_OPENING = re.compile(rf"[(\[]([^()\[\]]{{2,{_WINDOW}}})")
_PIECE = re.compile(r"[^,;:=]+")
_EDGES = " \t\r\n\u00a0\"'\u2018\u2019\u201c\u201d"  # blanks and quotes around a form
_SHORT = re.compile(r"[^\W_][\w&/.+\u2010-\u2013-]*(?: [\w&/.+-]+)?")
_NO_SHORT = re.compile(r" [a-z]{3,}$|\.$")  # 'CS os' is a short form, 'AL amyloid' and 'Inc.' are none
_ARROW = re.compile("arrow|asterisk")  # what is said of a picture, not of a word
_BREAKS = re.compile(r"[()\[\];:]|[.?!]\s")  # no long form reaches over one
_WORD = re.compile(r"\w+")
_INITIAL = re.compile(r"(?<![^\W_])[^\W_]")
_JOINING = re.compile(r"\b(?:and|for|in|of|on|the|to|with)\b")  # words without a letter in an acronym
# An entry of a legend: behind a sign that ends the one before, up to a sign that ends this one.
_LEGEND = re.compile(
    r"[;:.,(\n]\s?([A-Z][A-Za-z0-9/]{1,9})(?:\s?[=:]\s?|,\s)"
    r"([A-Za-z][^,;:.=()\[\]\n]{2,80})(?=[,;:.()\[\]\n]|$)"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form and the place of the words it stands for."""

    short: str
    short_start: int
    long_start: int
    long_end: int


def definitions(text: str) -> tuple[Definition, ...]:
    """Every abbreviation the text defines, in the order of their short forms."""
    found = [one for match in _LEGEND.finditer(text) if (one := _in_legend(match))]
    if "(" not in text and "[" not in text:
        return tuple(found)
    beside = [one for match in _OPENING.finditer(text) if (one := _in_parentheses(text, match))]
    places = {one.short_start: one for one in (*beside, *found)}  # a legend in parentheses speaks for itself
    return tuple(places[start] for start in sorted(places))


def _in_legend(match: re.Match[str]) -> Definition | None:
    short, long = match[1], match[2].rstrip(_EDGES)
    if not _is_short(short) or not _has_letters(short, long) or not _is_long(short, long, _LEGEND_REACH):
        return None
    return Definition(short, match.start(1), match.start(2), match.start(2) + len(long))


def _in_parentheses(text: str, match: re.Match[str]) -> Definition | None:
    """The short form inside of a long one before, or a long form inside of a short one before."""
    start = max(0, match.start() - _WINDOW)
    before = text[start : match.start()].rstrip(_EDGES)
    pieces = list(_pieces(match[1], match.start(1)))
    for short, at in pieces:
        if _is_short(short):
            first = _long_start(short, before)
            return None if first is None else Definition(short, at, start + first, start + len(before))
        if not short.islower():
            break  # '(white arrow, LA)' holds a short form, '(Medtronic, Minneapolis, MN)' does not
    short = before[max(map(before.rfind, " \n([")) + 1 :]
    if not _is_short(short) or not any(map(str.isupper, short)):
        return None
    long, at = pieces[0] if pieces else ("", 0)
    if _ARROW.search(long) or not _has_initials(short, long) or not _is_long(short, long, _REACH):
        return None
    return Definition(short, start + len(before) - len(short), at, at + len(long))


def _pieces(inside: str, start: int) -> Iterator[tuple[str, int]]:
    """The parts between commas and the like, without quotes and blanks, and where they start."""
    for match in _PIECE.finditer(inside):
        part = match[0].lstrip(_EDGES)
        yield part.rstrip(_EDGES), start + match.end() - len(part)


def _is_short(form: str) -> bool:
    """Whether this is written as an abbreviation is: '(arrow)', '(left)' and '(Figure 2)' are none."""
    if not _SHORTEST <= len(form) <= _LONGEST or not _SHORT.fullmatch(form) or _NO_SHORT.search(form):
        return False
    first = form.split(" ", 1)[0]
    capitals = sum(map(str.isupper, first))
    if first != form:
        return capitals > 1 or (capitals == 1 and form[0].isdigit())
    if form[0].isupper() and form[1] == "-":
        return True  # K-wire
    return capitals > 1 or (len(form) <= _FEW and any(map(str.isalpha, form)))


def _long_start(short: str, before: str) -> int | None:
    """Where the long form begins that ends with this text: each letter as far to the right as it goes."""
    window = _lowered(before)
    first, *letters = _letters(short)
    at = len(window)
    for letter in reversed(letters):
        at = window.rfind(letter, 0, at)
        if at < 0:
            return None
    at = window.rfind(first, 0, at)
    while at > 0 and (window[at - 1].isalnum() or _JOINING.match(window, at)):
        at = window.rfind(first, 0, at)  # a long form begins with a word, and not with 'of'
    return at if at >= 0 and _is_long(short, before[at:], _REACH) else None


def _is_long(short: str, long: str, reach: int) -> bool:
    """Whether these words, which hold the letters of a short form, may be what it stands for."""
    if len(long) <= len(short) or len(long.split()) > min(len(short) + reach, 2 * len(short)):
        return False
    if _BREAKS.search(long) or short in _WORD.findall(long):
        return False
    # 'red' stands only for words whose first letters it has
    return not short.islower() or "".join(_INITIAL.findall(_JOINING.sub("", _lowered(long)))) == short


def _has_letters(short: str, long: str) -> bool:
    """Whether a long form begins as the short one and holds the rest of its letters in their order."""
    signs = iter(_lowered(long))
    first, *letters = _letters(short)
    return next(signs, "") == first and all(letter in signs for letter in letters)


def _has_initials(short: str, long: str) -> bool:
    """The same, and each word of the long form gives its first letter."""
    letters = iter(_letters(short))
    words = _JOINING.sub("", _lowered(long)).split()
    return _has_letters(short, long) and all(word[0] in letters for word in words)


def _letters(short: str) -> list[str]:
    return [sign for sign in _lowered(short) if sign.isalnum()]


def _lowered(text: str) -> str:
    """Small letters, as many as there were: a few capitals have small forms of two signs."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(sign.lower()[0] for sign in text)
