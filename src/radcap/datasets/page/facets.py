"""Filters over a gallery without a script: radio buttons, and rules that hide what they do not choose.

Invariant: class and id names are made here from numbers, so no text of a dataset gets into the style.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.report.markup import Markup, element, joined, void

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Facet", "facet_classes", "facet_inputs", "facet_style"]


@dataclass(frozen=True, slots=True)
class Facet:
    """A property of the cards: its name, and what each card has."""

    name: str
    values: tuple[str, ...]
    order: tuple[str, ...] = ()  # what comes first, whatever its number

    @property
    def options(self) -> tuple[str, ...]:
        """What there is: in the order that is given, then the most frequent first."""
        counted = Counter(self.values)
        rest = sorted(counted.keys() - set(self.order), key=lambda one: (-counted[one], one))
        return (*(one for one in self.order if one in counted), *rest)


def facet_classes(facets: Sequence[Facet], card: int) -> str:
    """The classes of one card."""
    return " ".join(
        _key(number, facet.options.index(facet.values[card])) for number, facet in enumerate(facets)
    )


def facet_inputs(facets: Sequence[Facet]) -> Markup:
    """A row of choices for each facet; arrow keys move within a row."""
    return joined(_row(number, facet) for number, facet in enumerate(facets))


def facet_style(facets: Sequence[Facet]) -> str:
    """The rules that hide the cards which a choice leaves out."""
    keys = [_key(number, place) for number, facet in enumerate(facets) for place in range(len(facet.options))]
    return "".join(
        f".explore:has(#{key}:checked) .items > li:not(.{key}) {{ display: none; }}\n" for key in keys
    )


def _key(number: int, place: int) -> str:
    return f"f{number}-{place}"


def _row(number: int, facet: Facet) -> Markup:
    return element("fieldset", element("legend", facet.name), *_choices(number, facet), class_="facet")


def _choices(number: int, facet: Facet) -> Iterator[Markup]:
    yield _choice(f"f{number}-all", number, "all", len(facet.values), checked="checked")
    for place, option in enumerate(facet.options):
        yield _choice(_key(number, place), number, option, facet.values.count(option))


def _choice(key: str, number: int, name: str, n: int, checked: str | None = None) -> Markup:
    chosen = void("input", type="radio", name=f"facet{number}", id=key, checked=checked)
    return element("span", chosen, element("label", name, " ", element("small", f"{n:,}"), for_=key))
