"""The concepts of one text, for whoever wants no more than that."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from radcap.vocabulary.defaults import FREE, open_vocabulary
from radcap.vocabulary.linking.linker import Linker
from radcap.vocabulary.linking.mentions import Linked

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["link"]


def link(text: str, vocabulary: str | Path = FREE, *, trace: bool = False) -> Linked:
    """The mentions of concepts in a text; with `trace` also those that were dropped, and why.

    >>> [mention.cui for mention in link("CT of the chest")]
    ['C0040405', 'C0817096']
    """
    return Linked(_linker(str(vocabulary)).link(text, trace=trace))


@cache
def _linker(vocabulary: str) -> Linker:
    return Linker([open_vocabulary(vocabulary)])
