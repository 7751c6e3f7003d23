"""From captions to batches of concepts: the work of one process.

Invariant: a caption gives the same concepts alone, among others, and in any process.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.vocabulary.captions.batches import Batch, concepts_of
from radcap.vocabulary.captions.mention_tables import mention_table
from radcap.vocabulary.linking.linker import Linker
from radcap.vocabulary.rules import apply_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from radcap.vocabulary.captions.reading import Caption
    from radcap.vocabulary.extractors.extractor import Extractor
    from radcap.vocabulary.linking.mentions import Mention
    from radcap.vocabulary.rules import ConceptRules

__all__ = ["LinkWork", "link_texts"]


def link_texts(
    extractor: Extractor, texts: Iterable[str], rules: ConceptRules | None = None, *, trace: bool = False
) -> Iterator[tuple[Mention, ...]]:
    """The mentions of each text after the rules; with `trace` also those that lost against longer ones."""
    if trace and isinstance(extractor, Linker):
        found = extractor.extract(texts, trace=True)
    else:
        found = extractor.extract(texts)
    return found if rules is None else (apply_rules(one, rules) for one in found)


@dataclass(frozen=True, slots=True)
class LinkWork:
    """What is done with a batch of captions; it travels to other processes where its extractor can."""

    extractor: Extractor
    rules: ConceptRules | None = None
    trace: bool = False
    tabled: bool = False  # whether the table of mentions is wanted

    @property
    def can_travel(self) -> bool:
        """Other tools are processes already, and there is one of each."""
        return isinstance(self.extractor, Linker)

    def __call__(self, captions: Sequence[Caption]) -> Batch:
        texts = [one.text for one in captions]
        found = list(link_texts(self.extractor, texts, self.rules, trace=self.trace))
        ids = tuple(one.id for one in captions)
        return Batch(
            ids,
            tuple(map(concepts_of, found)),
            Counter(one.cui for some in found for one in some if one.kept),
            sum(not one.kept for some in found for one in some),
            mention_table(ids, found) if self.tabled else None,
        )
