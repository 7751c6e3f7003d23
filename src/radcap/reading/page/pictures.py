"""Pictures as `data:` addresses, smaller and coarser than those of the viewer of explanations.

Invariant: the address holds the whole picture; nothing is fetched.
"""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from PIL import Image

from radcap.explanation.pictures.relevance import fitted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["picture_address"]

_QUALITY = 75  # at which a hundred readings stay well below 5 MB


def picture_address(picture: NDArray[np.uint8], side: int) -> str:
    """The picture, made smaller where its longer side is above `side`."""
    image = Image.fromarray(picture)
    size = fitted(*image.size, side)
    image = image if size == image.size else image.resize(size, Image.Resampling.LANCZOS)
    out = io.BytesIO()
    image.save(out, "webp", quality=_QUALITY, method=4)
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode('ascii')}"
