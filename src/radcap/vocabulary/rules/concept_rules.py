"""The rules of an edition, as a value.

Invariant: a set of rules never changes; its name and version stand for all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.core import Cui

__all__ = ["Blacklisted", "ConceptRules", "Fate", "FrequencyCut", "Remap", "Unit"]


class Fate(StrEnum):
    """What becomes of a concept."""

    KEEP = "keep"
    DROP = "drop"


class Unit(StrEnum):
    """What a frequency counts: images that have a concept, or each time it is named."""

    IMAGES = "images"
    MENTIONS = "mentions"


@dataclass(frozen=True, slots=True)
class Blacklisted:
    """A concept that says nothing about a picture; `ours` where no paper names it."""

    cui: Cui
    name: str
    reason: str
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Remap:
    """A concept that is another one, or none, where it is named by `word`; without a word, always."""

    cui: Cui
    reason: str
    word: str = ""
    to: Cui | None = None
    name: str = ""  # of the other concept
    types: tuple[str, ...] = ()
    ours: bool = False


@dataclass(frozen=True, slots=True)
class FrequencyCut:
    """How often a concept must be found in a corpus."""

    threshold: int
    above: bool  # more often than the threshold; else as often is enough
    unit: Unit

    @property
    def needed(self) -> int:
        """The lowest frequency that is kept."""
        return self.threshold + self.above


@dataclass(frozen=True, slots=True)
class ConceptRules:
    """What an edition keeps. No types means all of them."""

    name: str
    version: int
    source: str
    named_types: frozenset[str] = frozenset()  # those a paper names
    inferred_types: frozenset[str] = frozenset()  # ours
    unknown_types: Fate = Fate.KEEP
    negated: Fate = Fate.KEEP
    uncertain: Fate = Fate.KEEP
    blacklist: tuple[Blacklisted, ...] = ()
    remaps: tuple[Remap, ...] = ()
    frequency: FrequencyCut | None = None
    automatic_modality: Fate = Fate.KEEP  # beside manual labels

    @property
    def types(self) -> frozenset[str]:
        """The semantic types that are kept."""
        return self.named_types | self.inferred_types

    def to_json(self) -> dict[str, object]:
        cut = self.frequency
        return {
            "name": self.name,
            "version": self.version,
            "source": self.source,
            "types": {
                "named": sorted(self.named_types),
                "inferred": sorted(self.inferred_types),
                "unknown": self.unknown_types.value,
            },
            "negated": self.negated.value,
            "uncertain": self.uncertain.value,
            "blacklist": [
                {"cui": one.cui, "name": one.name, "reason": one.reason, "ours": one.ours}
                for one in self.blacklist
            ],
            "remap": [
                {
                    "from": one.cui,
                    "to": one.to,
                    "name": one.name,
                    "types": list(one.types),
                    "word": one.word,
                    "reason": one.reason,
                    "ours": one.ours,
                }
                for one in self.remaps
            ],
            "frequency": cut
            and {
                "threshold": cut.threshold,
                "compare": ">" if cut.above else ">=",
                "unit": cut.unit.value,
            },
            "manual": {"automatic_modality": self.automatic_modality.value},
        }
