"""The modality of each image, by which so much else is told apart.

Invariant: every image has exactly one modality, `unknown` where nobody said. Where a dataset has a modality
column it decides, since combined imaging has no concept of its own; else the manual concepts do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from radcap.core import MODALITIES
from radcap.datasets.lists import rows_of, single
from radcap.datasets.statistics.counting import UNKNOWN, Partition, partition

if TYPE_CHECKING:
    from radcap.datasets.dataset import Dataset

__all__ = ["SEVERAL", "modality_partition", "modality_title"]

SEVERAL = "several"
_TITLES = {
    "AN": "Angiography",
    "CO": "Combined",
    "CT": "CT",
    "FL": "Fluoroscopy",
    "MG": "Mammography",
    "MR": "MRI",
    "NM": "Nuclear medicine",
    "OCT": "OCT",
    "PE": "PET",
    "PET": "PET",
    "US": "Ultrasound",
    "XR": "X-ray",
}


def modality_title(name: str) -> str:
    """A modality as people call it; `DRCT` is the ROCOv2 code of CT.

    >>> modality_title("DRCT"), modality_title("MR"), modality_title("endoscopy")
    ('CT', 'MRI', 'endoscopy')
    """
    return _TITLES.get(name.removeprefix("DR"), name)


def modality_partition(dataset: Dataset) -> Partition:
    """The images of a dataset by modality, the most frequent first."""
    column = dataset.column("modality")
    if any(one.as_py() for one in column.unique()):
        return partition(column)
    return partition(_by_concept(dataset))


def _by_concept(dataset: Dataset) -> pa.Array:
    """The name of the one modality among the manual concepts of each image."""
    manual = single(dataset.column("cui_manual"))
    names = pa.array([UNKNOWN, *MODALITIES.values(), SEVERAL])
    places = {cui: place for place, cui in enumerate(MODALITIES, 1)}
    coded = manual.flatten().dictionary_encode()
    place_of = np.array([places.get(cui, 0) for cui in coded.dictionary.to_pylist()], np.int64)
    found = place_of[coded.indices.to_numpy()] if len(place_of) else np.zeros(0, np.int64)
    rows = rows_of(manual)
    known = found > 0
    lowest = np.full(len(dataset), len(MODALITIES) + 1, np.int64)
    highest = np.zeros(len(dataset), np.int64)
    np.minimum.at(lowest, rows[known], found[known])
    np.maximum.at(highest, rows[known], found[known])
    chosen = np.where(highest == 0, 0, np.where(lowest == highest, lowest, len(MODALITIES) + 1))
    return names.take(pa.array(chosen))
