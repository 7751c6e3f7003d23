"""What the pixels of a dataset say, gathered in one pass over its images.

Invariant: row i is record i. An image that cannot be decoded has a code in `refused` and zeros in all that
its pixels would tell; kind, size and digest of a file that was read are there even so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset

__all__ = ["BINS", "SMALL", "Survey"]

BINS = 128  # of an intensity histogram, as in the ROCOv2 paper
SMALL = 32  # side of the little grey picture by which near duplicates are confirmed


@dataclass(frozen=True, slots=True)
class Survey:
    """Facts about each image, as columns."""

    ids: tuple[str, ...]
    kinds: tuple[str, ...]  # JPEG, PNG, ...
    refused: tuple[str, ...]  # a code of the catalogue, or nothing
    why: tuple[str, ...]  # the sentence that goes with it
    sizes_bytes: NDArray[np.int64]
    widths: NDArray[np.int32]
    heights: NDArray[np.int32]
    colour: NDArray[np.bool_]  # some pixel is not grey
    means: NDArray[np.float32]
    deviations: NDArray[np.float32]
    histograms: NDArray[np.uint32]  # n x BINS
    digests: NDArray[np.bytes_]  # SHA-256 of the file, 32 bytes
    pixel_digests: NDArray[np.bytes_]  # SHA-256 of shape, mode and decoded pixels
    phashes: NDArray[np.uint64]
    dhashes: NDArray[np.uint64]
    small: NDArray[np.uint8]  # n x SMALL x SMALL

    @property
    def decoded(self) -> NDArray[np.bool_]:
        """Which images could be decoded."""
        return np.array([not code for code in self.refused], bool)

    def require(self, dataset: Dataset) -> None:
        """Refuse to speak of another dataset: its rows would be taken for other images."""
        if self.ids != tuple(dataset.ids):
            raise UsageError(
                f"The survey of {counted(len(self.ids))} does not belong to {dataset.name} with "
                f"{counted(len(dataset), 'record')}: the ids differ. Survey this dataset."
            )
