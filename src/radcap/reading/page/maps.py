"""Maps as text small enough that a page holds hundreds: a grid of bytes, grown smoothly by the script.

Invariant: a byte of 128 says nothing, 255 is what speaks most for the statement and 1 what speaks most
against it; the grid has the form of the picture, so that it lies over it at any size.
>>> import numpy as np
>>> map_code(np.array([[0.0, 2.0], [-1.0, 0.0]]))
'2x2 gP9AgA=='
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.pictures.relevance import fitted, scaled, shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SIDE", "map_code"]

SIDE = 16  # cells of the longer side; the networks that ship see 9 x 9


def map_code(relevance: NDArray[np.floating]) -> str:
    """The size of the grid and its bytes, row by row."""
    height, width = relevance.shape
    columns, rows = fitted(width, height, SIDE)
    values = np.rint(127 * shares(scaled(relevance, columns, rows))) + 128
    return f"{columns}x{rows} {base64.b64encode(values.astype(np.uint8).tobytes()).decode('ascii')}"
