"""No finding is named that is not supported, while a caption is written.

The words of a finding are banned as pieces, inside a sentence and at the beginning of the caption, with a
small and a capital letter. A finding may still be named in other words, by a plural or by pieces that
are cut elsewhere; so what is written is judged once more (`radcap.captioning.models.support`).
Invariant: a phrase that names several concepts is banned where none of them is supported; a banned phrase
inside a supported longer one is let be.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from radcap.captioning.generation.inside import pieces_inside
from radcap.captioning.generation.phrase_ban import PhraseBan
from radcap.captioning.generation.phrase_index import PhraseIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from radcap.captioning.tokens.tokenizer import Tokenizer
    from radcap.core import Cui

__all__ = ["Support"]


class Support:
    """The phrases of findings as a tokenizer writes them: made once, asked for each batch."""

    def __init__(self, tokenizer: Tokenizer, phrases: Mapping[Cui, Sequence[str]]) -> None:
        owned: dict[tuple[int, ...], set[Cui]] = defaultdict(set)
        for cui, names in phrases.items():
            for name in names:
                for tokens in _pieces(name, tokenizer):
                    owned[tokens].add(cui)
        self._index = PhraseIndex(owned, tokenizer.begin)
        self._places: dict[Cui, list[int]] = defaultdict(list)
        for place, phrase in enumerate(self._index.phrases):
            for cui in owned[phrase]:
                self._places[cui].append(place)

    def ban(self, supported: Sequence[Collection[Cui]]) -> PhraseBan:
        """The control for images with these concepts; others that have phrases are not to be named."""
        allowed = np.zeros((len(supported), len(self._index)), bool)
        for row, cuis in enumerate(supported):
            for cui in cuis:
                allowed[row, self._places.get(cui, [])] = True
        return PhraseBan(self._index, ~allowed, allowed)


def _pieces(name: str, tokenizer: Tokenizer) -> Iterator[tuple[int, ...]]:
    """A phrase inside a sentence, and (with the begin mark) at the beginning of a caption."""
    for form in _forms(name):
        inside = pieces_inside(form, tokenizer)
        first = tuple(tokenizer.encode(form))
        yield inside
        if first != inside:
            yield (tokenizer.begin, *first)


def _forms(name: str) -> set[str]:
    """As it is written, and in small letters; either with a capital first."""
    words = " ".join(name.split())
    forms = {words, words.lower()}
    return {form for one in forms for form in (one, one[:1].upper() + one[1:]) if form}
