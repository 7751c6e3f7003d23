"""What a caption metric is given: candidates and references, prepared, in the order of the images.

Invariant: token lists and n-grams are made once and shared by the metrics that need them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from radcap.metrics.bleu_rules import BleuRule

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.metrics.ngrams import NgramPairs

__all__ = ["Measured", "Resources", "TextPairs"]


@dataclass(frozen=True, slots=True)
class Resources:
    """What a person has on disk for metrics that need more than Python."""

    spacy_model: Path | None = None  # for the lemmas of 2022
    corenlp: Path | None = None  # for SPICE
    progress: Callable[[str, int], None] | None = None  # metric, captions done

    def progress_of(self, metric: str) -> Callable[[int], None] | None:
        return None if self.progress is None else partial(self.progress, metric)


@dataclass(frozen=True)
class TextPairs:
    """Captions of a run beside those of the truth."""

    candidates: list[str]
    references: list[str]
    rule: BleuRule = BleuRule.TRUNCATING
    resources: Resources = field(default_factory=Resources)

    @cached_property
    def ngrams(self) -> list[NgramPairs]:
        """Orders 1 to 4 over blank-parted words."""
        from radcap.metrics.ngrams import count_ngrams

        return count_ngrams(map(str.split, self.candidates), map(str.split, self.references), 4)


@dataclass(frozen=True, slots=True)
class Measured:
    """Values per image, and figures that exist for all images together only."""

    values: list[float]
    totals: dict[str, float] = field(default_factory=dict[str, float])
    marks: dict[str, str] = field(default_factory=dict[str, str])  # what a signature says beside the edition
