"""Concepts of texts by an extractor: our dictionary, MedCAT, QuickUMLS, a neural linker, or a plug-in.

Invariant: only labels are answered. What a text denies is not; where the words of a mention name several
concepts, the one that is a label is meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.vocabulary.extractors import extractor_kind, open_extractor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.vocabulary import Mention

__all__ = ["ExtractorReader", "check_extractor"]


@dataclass(frozen=True)
class ExtractorReader:
    """An extractor by its name; it is opened for the texts it is asked about, and closed again."""

    name: str
    options: Mapping[str, str]
    labels: tuple[Cui, ...]

    def read(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Which labels each text speaks of."""
        place = {cui: number for number, cui in enumerate(self.labels)}
        found = np.zeros((len(texts), len(place)), np.bool_)
        with open_extractor(self.name, (), self.options) as tool:
            for row, mentions in enumerate(tool.extract(texts)):
                found[row, [place[cui] for one in mentions if (cui := _label(one, place)) is not None]] = True
        return found


def _label(mention: Mention, labels: Mapping[Cui, int]) -> Cui | None:
    """The label that a mention stands for."""
    if mention.negated or not mention.kept:
        return None
    return next((cui for cui in (mention.cui, *mention.others) if cui in labels), None)


def check_extractor(name: str, options: Mapping[str, str]) -> None:
    """Raise what an extractor lacks, without reading a text."""
    kind = extractor_kind(name)
    missing = kind.why_not(options)
    if missing is not None:
        raise missing
    if kind.check is None:  # it says what it lacks, and which options it has, when it is opened
        with kind.open((), options):
            pass
