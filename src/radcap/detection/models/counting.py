"""How many labels images have, as heads say.

Invariant: a count is a linear function of the vector an image is compared by.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from radcap.detection.models.answers import Answers
    from radcap.vision.heads import Head

__all__ = ["label_counts", "mean_counts"]


def label_counts(head: Head, vectors: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """The count of each vector, where the head has a layer for it."""
    if head.counter is None:
        return None
    weight: NDArray[Any] = head.counter.weight.detach().double().cpu().numpy()[0]
    found = vectors.astype(np.float64) @ weight + float(head.counter.bias.detach())
    return found.astype(np.float32)


def mean_counts(ids: Sequence[str], told: Iterable[Answers]) -> NDArray[np.float32] | None:
    """What the members that count say of these images on average; None where nobody counts."""
    found: list[NDArray[np.float32]] = []
    for one in told:
        if one.counts is not None:
            place = {image: row for row, image in enumerate(one.ids)}
            found.append(one.counts[[place[image] for image in ids]])
    return np.stack(found).mean(axis=0, dtype=np.float32) if found else None
