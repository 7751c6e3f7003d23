"""Negation and uncertainty for mentions of tools that do not say.

Invariant: the rules are those of our own linker, so that extractors differ in what they find alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.vocabulary.linking.context import Context
from radcap.vocabulary.linking.word_rows import read_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.vocabulary.extractors.entities import Entity

__all__ = ["Marks", "marks"]

Marks = tuple[bool, bool]  # negated, uncertain


def marks(texts: Sequence[str], found: Sequence[Sequence[Entity]]) -> list[list[Marks]]:
    """For each entity of each text whether it is negated, and whether it is uncertain."""
    row = read_words(texts)
    negated, uncertain = (np.append(one, False) for one in Context.english().marks(row))
    starts = row.texts.tolist()
    return [
        [
            (bool(negated[word]), bool(uncertain[word]))
            for word in np.searchsorted(row.start, [start + one.start for one in entities]).tolist()
        ]
        for start, entities in zip(starts, found, strict=False)
    ]
