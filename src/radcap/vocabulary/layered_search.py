"""Search in several vocabularies at once, and among the concepts of one semantic type.

Invariant: a name that fits better comes first, whichever layer has it; between equals the order of the layers
decides. A concept that several layers know is found once, with all they know about it.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from radcap.vocabulary.layers import Layers
from radcap.vocabulary.searching import Hit, search
from radcap.vocabulary.words import ARTICLES, normal, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.core import Cui
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["search_layers"]

_NEAR = 0.75  # of 1: how alike two spellings are
_MOST = 10_000  # concepts that are looked through for those of a type


def search_layers(
    vocabularies: Sequence[Vocabulary], query: str, limit: int = 10, tui: str | None = None
) -> list[Hit]:
    """The best concepts for some words in any of the layers; with `tui` those of that type alone."""
    layers = Layers(vocabularies)
    hits = _hits(layers, query, limit, tui)
    if len(vocabularies) > 1:
        hits.sort(key=lambda one: _distance(query, one.found))
    best: dict[Cui, Hit] = {}
    for hit in hits:
        best.setdefault(hit.concept.cui, hit)
    chosen = list(best.values())[:limit]
    return [Hit(layers.concept(one.concept.cui) or one.concept, one.found) for one in chosen]


def _hits(layers: Layers, query: str, limit: int, tui: str | None) -> list[Hit]:
    most = limit if tui is None else _MOST
    found = [hit for one in layers.vocabularies for hit in search(one, query, most)]
    return [hit for hit in found if tui is None or tui in layers.types(hit.concept.cui)]


def _distance(query: str, found: str) -> tuple[int, int]:
    """How many words of the query a name lacks, misspelt ones aside, and how many more or fewer it has."""
    asked, has = _words(query), _words(found)
    lacking = sum(word not in has and not get_close_matches(word, has, 1, _NEAR) for word in asked)
    return lacking, abs(len(has) - len(asked))


def _words(text: str) -> set[str]:
    return {normal(word) for word in split(text)[1::2] if word not in ARTICLES}
