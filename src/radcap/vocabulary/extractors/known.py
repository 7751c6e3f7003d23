"""What vocabularies know of the identifiers that other tools give.

Invariant: an identifier is a CUI, or a SNOMED CT code that a vocabulary files under CUIs, or unknown; nothing
is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.vocabulary.concepts import cui_number, type_number
from radcap.vocabulary.extractors.marks import marks
from radcap.vocabulary.layers import Layers
from radcap.vocabulary.linking.mentions import How, Mention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from radcap.core import Cui
    from radcap.vocabulary.extractors.entities import Entity
    from radcap.vocabulary.extractors.marks import Marks
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["Known"]

_SNOMED = "SNOMEDCT_US"
_MOST = 500_000  # codes kept in memory


def _by_our_rules(entity: Entity, ours: Marks) -> Marks:  # noqa: ARG001 - others look at the entity
    return ours


class Known:
    """Vocabularies, asked about identifiers."""

    def __init__(self, vocabularies: Sequence[Vocabulary]) -> None:
        self._layers = Layers(vocabularies)
        self._codes: dict[str, tuple[Cui, ...]] = {}

    def cuis(self, given: str) -> tuple[Cui, ...]:
        """The concepts an identifier stands for, the first one first."""
        if cui_number(given) is not None:
            return (given,)
        if given not in self._codes:
            if len(self._codes) >= _MOST:
                self._codes.clear()
            found = (cui for one in self._layers.vocabularies for cui in one.by_code(_SNOMED, given))
            self._codes[given] = tuple(dict.fromkeys(found))
        return self._codes[given]

    def mentions(
        self,
        why: str,
        texts: Sequence[str],
        found: Sequence[Sequence[Entity]],
        *,
        marked: Callable[[Entity, Marks], Marks] = _by_our_rules,
    ) -> Iterator[tuple[Mention, ...]]:
        """The mentions of each text; `marked` may know better than our rules what is negated or uncertain."""
        for text, entities, ours in zip(texts, found, marks(texts, found), strict=True):
            said = map(marked, entities, ours)
            yield tuple(
                self.mention(text, one, why, negated=negated, uncertain=uncertain)
                for one, (negated, uncertain) in zip(entities, said, strict=True)
            )

    def mention(
        self, text: str, entity: Entity, why: str, *, negated: bool = False, uncertain: bool = False
    ) -> Mention:
        """The mention of an entity; one whose identifier no vocabulary knows is not kept."""
        cuis = self.cuis(entity.id)
        others = (*cuis[1:], *(cui for other in entity.others for cui in self.cuis(other)))
        cui = cuis[0] if cuis else entity.id
        named = tuple(one for one in entity.types if type_number(one) is not None)
        return Mention(
            entity.start,
            entity.end,
            text[entity.start : entity.end],
            cui,
            self._layers.name(cui) or entity.name,
            self._layers.types(cui) or named,
            How.MODEL,
            negated,
            uncertain,
            tuple(dict.fromkeys(one for one in others if one != cui)),
            bool(cuis),
            why if cuis else f"no vocabulary has a CUI for the code {entity.id}",
            entity.score,
        )
