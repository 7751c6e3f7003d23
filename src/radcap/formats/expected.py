"""The ids a run must name, in the order of the truth.

Invariant: ids are unique; their order is that of the file they came from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set

__all__ = ["Expected", "series_of", "split_of"]

_SPLIT = re.compile(r"(?<![a-z])(train|valid|validation|dev|test)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Expected:
    """Ids with their positions, and the name of the file that gave them."""

    position: Mapping[str, int]
    source: str
    optional: Set[str] = frozenset()  # ids that a run may leave out

    @classmethod
    def of(cls, ids: Iterable[str], source: str = "the list of ids") -> Expected:
        return cls({image_id: place for place, image_id in enumerate(dict.fromkeys(ids))}, source)

    def __len__(self) -> int:
        return len(self.position)

    def __contains__(self, image_id: object) -> bool:
        return image_id in self.position

    @property
    def split(self) -> str:
        """What the ids call their split, else the file's name for it."""
        first = next(iter(self.position), "")
        return split_of(first) or "given"


def series_of(image_id: str) -> str:
    """An id without its number: images of one split and edition share it.

    >>> series_of("ROCOv2_2023_test_000001.jpg")
    'ROCOv2_2023_test_'
    """
    return image_id.partition(".")[0].rstrip("0123456789")


def split_of(image_id: str) -> str:
    """The split an id names, or nothing.

    >>> split_of("ImageCLEFmedical_Caption_2025_valid_17")
    'valid'
    """
    match = _SPLIT.search(image_id.replace("_", " "))
    return match[1].lower() if match else ""
