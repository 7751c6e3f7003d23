"""The kinds of evidence that two records are not independent.

Invariant: every kind has its heading; all but two make a leak by a single record. Composed captions are
a kind of their own, apart from what authors wrote.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Evidence"]


class Evidence(StrEnum):
    """What two records share."""

    GROUP = "group"
    ID = "id"
    FILE = "file"
    PIXELS = "pixels"
    NEAR = "near"
    CAPTION = "caption"
    LIKE_CAPTION = "like-caption"
    WORDS = "words"
    INSIDE = "inside"
    WEAK_CAPTION = "weak-caption"
    COMPOSED = "composed-caption"

    @property
    def strong(self) -> bool:
        """Whether one such record makes a leak."""
        return self not in {Evidence.WEAK_CAPTION, Evidence.COMPOSED}

    @property
    def heading(self) -> str:
        return _TITLES[self]


_TITLES = {
    Evidence.GROUP: "same article or patient",
    Evidence.ID: "same id",
    Evidence.FILE: "same file",
    Evidence.PIXELS: "same pixels",
    Evidence.NEAR: "nearly the same pixels",
    Evidence.CAPTION: "same caption",
    Evidence.LIKE_CAPTION: "same caption but for case and blanks",
    Evidence.WORDS: "same words in a row",
    Evidence.INSIDE: "caption within a longer one",
    Evidence.WEAK_CAPTION: "same short caption (weak)",
    Evidence.COMPOSED: "same composed caption (weak)",
}
