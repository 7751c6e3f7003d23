"""Which labels are alike: modality, region, direction, and the rest.

Invariant: every column is in exactly one kind, and no kind is empty.
>>> kinds(("C0040405", "C0000001"))["modality"]
array([0])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.core.cui_sets import DIRECTIONS, MODALITIES, REGIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.core.runs import Cui
    from radcap.detection.calibration.arrays import Ints

__all__ = ["kinds"]


def kinds(labels: Sequence[Cui]) -> dict[str, Ints]:
    """The columns of each kind that there is."""
    found: dict[str, list[int]] = {}
    for column, label in enumerate(labels):
        found.setdefault(_kind(label), []).append(column)
    return {kind: np.array(columns, dtype=np.int64) for kind, columns in found.items()}


def _kind(label: Cui) -> str:
    for name, members in (("modality", MODALITIES), ("region", REGIONS), ("direction", DIRECTIONS)):
        if label in members:
            return name
    return "rest"
