"""Maps that know nothing of the model: smooth noise, and the edges of the picture.

Invariant: they depend on the picture and a seed alone, so one of each serves every statement about an image.
A method that is no better than these explains nothing (Adebayo 2018).
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.explanation.faithfulness.masks import grid_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["edge_map", "noise_map", "seed_of"]

_BLOBS = 8  # along the longer side, as in the feature maps of common networks


def seed_of(*names: str) -> int:
    """A seed for an image (and what is said of it), the same wherever it is computed.

    >>> seed_of("ROCOv2_2023_test_000001")
    3801096391
    """
    return crc32("\n".join(names).encode())


def noise_map(height: int, width: int, seed: int, blobs: int = _BLOBS) -> NDArray[np.float32]:
    """Normal noise, as smooth as the maps of networks are."""
    rows, columns = grid_of(height, width, blobs)
    values = np.random.default_rng(seed).standard_normal((1, 1, rows, columns)).astype(np.float32)
    drawn = F.interpolate(torch.from_numpy(values), (height, width), mode="bicubic", align_corners=False)
    return drawn[0, 0].numpy()


def edge_map(picture: NDArray[Any]) -> NDArray[np.float32]:
    """How steep the grey of a picture (h x w x 3) is, by Sobel; the edge of the picture is mirrored."""
    light = np.pad(picture.astype(np.float32).mean(axis=2), 1, mode="symmetric")
    down = light[:-2] + 2 * light[1:-1] + light[2:]
    across = light[:, :-2] + 2 * light[:, 1:-1] + light[:, 2:]
    return np.hypot(down[:, 2:] - down[:, :-2], across[2:] - across[:-2])
