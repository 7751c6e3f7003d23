"""Links inside a page about concepts.

Invariant: a well-formed CUI is its own anchor, `#C0032227`; whatever else a dataset has for a label gets a
number, so that no text of a dataset becomes an id that the page itself uses. Every id that is linked to is
there once: at the section of the concept, or else at its row of the list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.datasets.concepts import words
from radcap.report.markup import Markup, element
from radcap.report.names import shortened
from radcap.vocabulary.concepts import cui_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import Cui
    from radcap.datasets.concepts.companions import Companion
    from radcap.datasets.concepts.figures import Named

__all__ = ["Anchors"]


@dataclass(frozen=True, slots=True)
class Anchors:
    """The concepts that have a place on the page, by code."""

    codes: Mapping[Cui, int]

    def key(self, cui: Cui) -> str:
        """The id of a concept that has a place."""
        return cui if cui_number(cui) is not None else f"label-{self.codes[cui]}"

    def link(self, one: Named | Companion) -> Markup:
        """The name of a concept, as a link where the page has it."""
        told = words.title(one)
        if one.cui not in self.codes:
            return element("span", told, title=shortened(one.cui, words.ROOM))
        return self.to(one.cui, told, shortened(one.cui, words.ROOM))

    def to(self, cui: Cui, told: str, title: str | None = None) -> Markup:
        """A link to a concept that has a place."""
        return element("a", told, href=f"#{self.key(cui)}", title=title)
