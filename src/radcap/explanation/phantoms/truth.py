"""What was planted where: the evidence that an explanation of a phantom should find.

Invariant: the masks of an image are those of its concepts and of nothing else; clutter is told apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.values import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from radcap.core import Cui, ImageId
    from radcap.datasets import Dataset
    from radcap.explanation.phantoms.planting import Planted

__all__ = ["Phantoms", "Truth"]


@dataclass(frozen=True, eq=False)
class Truth(Mapping["ImageId", "Mapping[Cui, NDArray[np.bool_]]"]):
    """Masks by image and concept, laid over the picture when they are asked for."""

    planted: Mapping[ImageId, tuple[Planted, ...]] = field(repr=False)
    side: int

    def __getitem__(self, image: ImageId) -> Mapping[Cui, NDArray[np.bool_]]:
        return {one.shape.cui: one.over(self.side) for one in self.planted[image] if one.shape.cui}

    def __iter__(self) -> Iterator[ImageId]:
        return iter(self.planted)

    def __len__(self) -> int:
        return len(self.planted)


@dataclass(frozen=True, eq=False)
class Phantoms:
    """A dataset of pictures with planted shapes, and the pixels of each shape."""

    dataset: Dataset
    truth: Truth

    def boxes(self, image: ImageId) -> Mapping[Cui, Box]:
        """The smallest box around each shape, in shares of the picture."""
        return {one.shape.cui: _box(one, self.truth.side) for one in self._planted(image) if one.shape.cui}

    def clutter(self, image: ImageId) -> NDArray[np.bool_]:
        """The pixels of the shapes that no label names."""
        side = self.truth.side
        masks = [one.over(side) for one in self._planted(image) if not one.shape.cui]
        return np.logical_or.reduce([np.zeros((side, side), np.bool_), *masks])

    def _planted(self, image: ImageId) -> tuple[Planted, ...]:
        return self.truth.planted[image]


def _box(one: Planted, side: int) -> Box:
    height, width = one.mask.shape
    return Box(one.left / side, one.top / side, width / side, height / side, 1.0)
