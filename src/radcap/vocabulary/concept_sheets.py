"""Everything that the layers of a vocabulary know about one concept.

Invariant: a CUI that a release gave up has a sheet too, as long as one layer remembers it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from radcap.report import Table
from radcap.vocabulary.describing import type_label
from radcap.vocabulary.layers import Layers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from radcap.core import Cui
    from radcap.vocabulary.concepts import Concept, Retired
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["ConceptSheet", "concept_sheet"]

_RELATIONS = {
    "DEL": "deleted",
    "SY": "the same as",
    "RB": "replaced by the broader",
    "RN": "replaced by the narrower",
    "RO": "replaced by the related",
}
_SHOWN = 20  # lines of one kind on a terminal


@dataclass(frozen=True, slots=True)
class ConceptSheet:
    """A concept with what stands above and below it, and what became of its CUI."""

    cui: Cui
    concept: Concept | None
    children: tuple[Cui, ...]
    retired: tuple[Retired, ...]
    names: Mapping[Cui, str]  # of the concepts that are named here

    def to_json(self) -> dict[str, Any]:
        known = {} if self.concept is None else self.concept.to_json()
        gone = [{"relation": one.relation, "now": one.now} for one in self.retired]
        return {"cui": self.cui, **known, "children": list(self.children), "retired": gone}

    def table(self) -> Table:
        """Two columns: what, and its value; long lists are cut, and say so."""
        rows = [("CUI", self.cui)]
        if self.concept is not None:
            one = self.concept
            rows += [
                ("name", one.name),
                *_lines("also called", one.synonyms),
                *_lines("type", map(type_label, one.types)),
                *_lines("source", one.sources),
                *_lines("parent", map(self._named, one.parents)),
            ]
        rows += _lines("child", map(self._named, self.children))
        rows += _lines("retired", map(self._fate, self.retired))
        return Table(("about", "value"), tuple(rows))

    def _named(self, cui: Cui) -> str:
        return f"{cui} {self.names.get(cui, '')}".rstrip()

    def _fate(self, one: Retired) -> str:
        what = _RELATIONS.get(one.relation, one.relation)
        return what if one.now is None else f"{what} {self._named(one.now)}"


def _lines(what: str, values: Iterable[str]) -> list[tuple[str, str]]:
    every = list(values)
    shown = every if len(every) <= _SHOWN + 1 else [*every[:_SHOWN], f"and {len(every) - _SHOWN:,} more"]
    return [(what if place == 0 else "", value) for place, value in enumerate(shown)]


def concept_sheet(vocabularies: Sequence[Vocabulary], cui: Cui) -> ConceptSheet | None:
    """The sheet of a CUI, or nothing if no layer has heard of it."""
    layers = Layers(vocabularies)
    concept = layers.concept(cui)
    children = tuple(dict.fromkeys(child for one in vocabularies for child in one.children(cui)))
    retired = tuple(dict.fromkeys(fate for one in vocabularies for fate in one.retired(cui)))
    if concept is None and not retired:
        return None
    near = {*children, *(concept.parents if concept else ()), *(one.now for one in retired if one.now)}
    names = {one: name for one in near if (name := layers.name(one)) is not None}
    return ConceptSheet(cui, concept, children, retired, names)
