"""Several vocabularies one above the other, asked as one.

Invariant: the first layer that knows a concept names it; synonyms, sources and parents of all layers count,
and types are those of the first layer that has any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.vocabulary.concepts import Concept

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from radcap.core import Cui
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["Layers"]


class Layers:
    """Vocabularies in the order in which they are asked."""

    def __init__(self, vocabularies: Sequence[Vocabulary]) -> None:
        self.vocabularies = tuple(vocabularies)

    def __len__(self) -> int:
        return len(set(self))

    def __iter__(self) -> Iterator[Cui]:
        return iter(dict.fromkeys(cui for one in self.vocabularies for cui in one))

    def __contains__(self, cui: object) -> bool:
        return any(cui in one for one in self.vocabularies)

    def concept(self, cui: Cui) -> Concept | None:
        """All that the layers know about a concept."""
        known = [found for one in self.vocabularies if (found := one.concept(cui)) is not None]
        if not known:
            return None
        name = known[0].name
        names = _each_once(text for one in known for text in (one.name, *one.synonyms))
        return Concept(
            cui,
            name,
            tuple(text for text in names if text != name),
            self.types(cui),
            _each_once(source for one in known for source in one.sources),
            _each_once(parent for one in known for parent in one.parents),
        )

    def name(self, cui: Cui) -> str | None:
        """The name the first layer gives a concept."""
        return next((name for one in self.vocabularies if (name := one.name(cui)) is not None), None)

    def types(self, cui: Cui) -> tuple[str, ...]:
        """The types the first layer that knows any gives a concept."""
        return next((types for one in self.vocabularies if (types := one.types(cui))), ())


def _each_once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
