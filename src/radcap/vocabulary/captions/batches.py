"""Captions that were linked together, on their way from a process to the files.

Invariant: `concepts` are those of kept mentions, each once, in the order of their first mention.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from radcap.vocabulary.captions.mention_tables import drop

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from radcap.core import Cui
    from radcap.vocabulary.linking.mentions import Mention

__all__ = ["Batch", "concepts_of"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some captions in the order of their file; `mentions` is their table, where one is wanted."""

    ids: tuple[str, ...]
    concepts: tuple[tuple[Cui, ...], ...]
    kept: Counter[Cui]  # how often each concept is mentioned and kept
    dropped: int  # mentions
    mentions: Any = None

    def without(self, rare: Mapping[Cui, str]) -> Batch:
        """The batch less some concepts, for the reasons given."""
        gone = Counter({cui: n for cui, n in self.kept.items() if cui in rare})
        return replace(
            self,
            concepts=tuple(tuple(cui for cui in some if cui not in rare) for some in self.concepts),
            kept=self.kept - gone,
            dropped=self.dropped + gone.total(),
            mentions=None if self.mentions is None else drop(self.mentions, rare),
        )


def concepts_of(mentions: Iterable[Mention]) -> tuple[Cui, ...]:
    """The kept concepts of a text, each once."""
    return tuple(dict.fromkeys(one.cui for one in mentions if one.kept))
