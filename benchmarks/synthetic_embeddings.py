"""Made-up embeddings in the shape of real ones.

Invariant: equal sizes and seed give equal numbers. Clusters differ in size as 1, 1/2, 1/3 ...; the variance
of the i-th direction falls as 1/i, in a rotated space. On 5,254 radiology images, an EfficientNet-Lite0
trained on ImageNet has 64 / 75 / 85 / 93 % of its variance in 64 / 128 / 256 / 512 directions, and a median
cosine of .78 / .70 / .60 to the 1st / 10th / 100th neighbour; as many of these have 70 / 79 / 87 / 94 % and
.73 / .67 / .50.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DIMENSIONS", "embeddings"]

DIMENSIONS = 1280
_CLUSTERS = 400
_SHARED = np.float32(0.9)  # how much all of them have in common


def embeddings(counts: tuple[int, ...], seed: int = 0) -> list[NDArray[np.float32]]:
    """Several sets of rows from the same clusters."""
    draw = np.random.default_rng(seed)
    spread = np.arange(1, DIMENSIONS + 1).astype(np.float32) ** np.float32(-0.5)
    turn = np.linalg.qr(draw.standard_normal((DIMENSIONS, DIMENSIONS), np.float32))[0]
    shared = draw.standard_normal(DIMENSIONS, np.float32) * spread * _SHARED
    centres = draw.standard_normal((_CLUSTERS, DIMENSIONS), np.float32) * spread + shared
    sizes = 1 / np.arange(1, _CLUSTERS + 1)
    made: list[NDArray[np.float32]] = []
    for count in counts:
        rows = draw.standard_normal((count, DIMENSIONS), np.float32)
        rows *= spread
        rows += centres[draw.choice(_CLUSTERS, count, p=sizes / sizes.sum())]
        made.append(rows @ turn)
    return made
