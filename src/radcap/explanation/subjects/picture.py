"""The picture that explanations are drawn on.

Invariant: RGB, upright, its longer side at most `LONGEST`; one that is too small to have places is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from radcap.core import InputError
from radcap.datasets.images import decode

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LONGEST", "SHORTEST", "picture_of"]

LONGEST, SHORTEST = 320, 16


def picture_of(data: bytes, name: str) -> NDArray[np.uint8]:
    """The picture of a file; `ImageRefused` where it cannot be decoded."""
    image = decode(data, name).convert("RGB")
    if min(image.size) < SHORTEST:
        raise InputError(
            f"{name} has {image.width} x {image.height} pixels, and no place can be shown in so few."
            f" Give an image of {SHORTEST} x {SHORTEST} or more."
        )
    factor = LONGEST / max(image.size)
    if factor < 1:
        size = max(1, round(image.width * factor)), max(1, round(image.height * factor))
        image = image.resize(size, Image.Resampling.BOX, reducing_gap=3.0)
    return np.asarray(image)
