"""The real pictures that shapes are planted in.

Invariant: a host may be changed under its licence, is grey and square (its middle is cut out), and leaves
`ROOM` grey levels free at both ends; hosts of a split come from that split alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageOps

from radcap.core import UsageError
from radcap.datasets.images.decoding import decode_near
from radcap.datasets.statistics.licence_terms import licence_of
from radcap.explanation.phantoms.planting import ROOM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets import Dataset, ImageRef

__all__ = ["Hosts", "hosts_of"]

_LAST = 255  # the brightest grey
_DRAFT = 3  # a JPEG is decoded at no less than three times the side: the middle of a long one is cut out


@dataclass(frozen=True)
class Hosts:
    """Records of one split in the order of a draw, each decoded when it is first asked for."""

    dataset: Dataset
    side: int
    _made: dict[int, NDArray[np.uint8]] = field(default_factory=dict[int, "NDArray[np.uint8]"], repr=False)

    def __len__(self) -> int:
        return len(self.dataset)

    def grey(self, place: int) -> NDArray[np.uint8]:
        """The host at a place, side x side."""
        if place not in self._made:
            self._made[place] = _square(self.dataset.image(place), self.side)
        return self._made[place]


def hosts_of(pictures: Dataset, split: str, modality: str, side: int, rng: np.random.Generator) -> Hosts:
    """The pictures of a split that can be hosts, by lot. `modality` is how the code of theirs ends."""
    part = pictures.split(split)
    codes, licences = part.column("modality").to_pylist(), part.column("licence").to_pylist()
    fit = [
        place
        for place, (code, licence) in enumerate(zip(codes, licences, strict=True))
        if code.endswith(modality) and not licence_of(licence).no_derivatives
    ]
    if not fit:
        raise UsageError(
            f"{pictures.name} has no picture of modality {modality!r} in its split {split!r} that may be"
            " changed. Give another dataset, or the modality that it has."
        )
    return Hosts(part.take(rng.permutation(fit)), side)


def _square(ref: ImageRef, side: int) -> NDArray[np.uint8]:
    image = decode_near(ref.bytes, ref.name, side * _DRAFT, grey=True).image.convert("L")
    grey = np.asarray(ImageOps.fit(image, (side, side), Image.Resampling.BICUBIC), np.float32)
    return np.rint(ROOM + grey * ((_LAST - 2 * ROOM) / _LAST)).astype(np.uint8)
