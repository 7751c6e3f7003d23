"""What images are told by: a text for each, by whoever has one.

Invariant: images come in the order of the dataset; one that nobody could look at is in `refused` alone, and
one that nobody has a word for has an empty text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from radcap.datasets import Dataset

__all__ = ["Progress", "Teller", "Told"]

Progress: TypeAlias = "Callable[[str, int], None] | None"


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """Images with their texts."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    refused: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def has_words(self) -> NDArray[np.bool_]:
        """Which images have a text."""
        return np.array([bool(text.strip()) for text in self.texts], np.bool_)


class Teller(Protocol):
    """What has words for images."""

    def tell(self, dataset: Dataset, progress: Progress = None) -> Told: ...
