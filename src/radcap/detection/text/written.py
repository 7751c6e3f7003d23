"""What a model wrote, made plain: one kind of sign between items, and no headings.

Invariant: whatever parts a list (lines, bullets, numbers, brackets, quotes, bars) becomes `;`, a comma stays
a comma, and an item that is answered with no is said to be absent. Time grows with the text alone: blanks are
folded first, so that no pattern can try a run of them twice.
>>> plain('Concepts: ["Chest", "Mass": false]')
'; Chest ; , ; Mass is absent ; '
"""

from __future__ import annotations

import re

__all__ = ["plain"]

_LONGEST = 20_000  # letters that are read; a model that writes more repeats itself
_UNSEEN = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_BLANKS, _LINES = re.compile(r"[^\S\n]+"), re.compile(r" ?[\n\r\u2028\u2029]+ ?")
_KEY = re.compile(r"[\"'] ?:")  # of a JSON object
_ANSWERED_NO = re.compile(
    r" ?[:=(] ?[\"']?(?:no|none|absent|false|negative|not (?:seen|present|visible|identified))[\"']? ?\)?"
    r" ?(?=[,;.\n}\]]|$)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^(?:[-*\u2022\u00b7\u25aa\u25e6] ?|\(?\d{1,3}[.)] )", re.MULTILINE)
_PARTING = re.compile(r" ?(?:[;|\[\]{}\"\u201c\u201d\u2022\u00b7\u25aa\u25e6\n]| [-*\u2013\u2014] )+ ?")
_HEADING = re.compile(
    r"(^|; ?)(?:(?:the|imaging|main|medical|list|of|image|umls|relevant|detected|following) ){0,4}"
    r"(?:answers?|assistant|anatomy|concepts?|cuis?|findings?|keywords?|labels?|list|modality|names?|tags?)"
    r"(?: (?:are|is|include|present|detected|found))? ?: ?",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """The text in one line."""
    one = _LINES.sub("\n", _BLANKS.sub(" ", _UNSEEN.sub(" ", text[:_LONGEST])))
    one = _ANSWERED_NO.sub(" is absent", _KEY.sub(":", one))
    return _HEADING.sub(r"\1", _PARTING.sub(" ; ", _BULLET.sub("", one)))
