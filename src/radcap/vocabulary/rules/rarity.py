"""Which concepts are too rare in a whole corpus: a first pass counts, a second one drops.

Invariant: only mentions that are kept count, and a mention that is dropped for its frequency says what it was
and what was needed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.vocabulary.rules.concept_rules import Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from radcap.core import Cui
    from radcap.vocabulary.linking.mentions import Mention
    from radcap.vocabulary.rules.concept_rules import FrequencyCut

__all__ = ["cut_rare", "frequencies"]


def frequencies(captions: Iterable[Iterable[Mention]], unit: Unit = Unit.IMAGES) -> dict[Cui, int]:
    """How many images have a concept, one caption each, or how often it is mentioned in all."""
    counts: Counter[Cui] = Counter()
    for mentions in captions:
        kept = [one.cui for one in mentions if one.kept]
        counts.update(set(kept) if unit is Unit.IMAGES else kept)
    return dict(counts)


def cut_rare(
    captions: Iterable[Sequence[Mention]], counts: Mapping[Cui, int], cut: FrequencyCut
) -> Iterator[tuple[Mention, ...]]:
    """Each caption's mentions, those of rare concepts dropped; a concept that was not counted has none."""
    for mentions in captions:
        yield tuple(
            _too_rare(one, counts.get(one.cui, 0), cut)
            if one.kept and counts.get(one.cui, 0) < cut.needed
            else one
            for one in mentions
        )


def _too_rare(mention: Mention, count: int, cut: FrequencyCut) -> Mention:
    why = f"rare: {count:,} {cut.unit.value}, fewer than {cut.needed:,}"
    return replace(mention, kept=False, why=why)
