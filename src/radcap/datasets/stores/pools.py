"""The images of one split, by the stem of their file names.

Invariant: every file that was added can be found by its stem; files of one stem stay together, in order.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

from radcap.datasets.stores.file_names import stem_of

__all__ = ["Place", "Places", "Pool"]

Place: TypeAlias = tuple[int, str]  # a store among several, and the key there
Places: TypeAlias = tuple[Place, ...]


class Pool:
    """The images of one split by their stem."""

    def __init__(self) -> None:
        self.stems: dict[str, Places] = {}

    def add(self, name: str, place: Place) -> None:
        stem = stem_of(name)
        self.stems[stem] = (*self.stems.get(stem, ()), place)

    @cached_property
    def folded(self) -> dict[str, Places]:
        """By stem in small letters; made only when an id was not found as it is written."""
        folded: dict[str, Places] = {}
        for stem, places in self.stems.items():
            folded[stem.casefold()] = (*folded.get(stem.casefold(), ()), *places)
        return folded
