"""The test images by their modality.

Invariant: an image of several modalities, or of none, belongs to none of them; a modality of few images has
no column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.datasets import Dataset

__all__ = ["SHORT", "modality_counts", "modality_means", "modality_of_each"]

SHORT = {  # the modalities as a table can hold them
    "C1306645": "X-ray",
    "C0040405": "CT",
    "C0024485": "MRI",
    "C0041618": "US",
    "C0002978": "angio",
    "C0032743": "PET",
    "C0920367": "OCT",
    "C1699633": "PET/CT",
}
_FEWEST = 5  # images of a modality that has a column


def modality_counts(modalities: Mapping[str, str]) -> dict[str, int]:
    """The images of each modality that has enough of them."""
    every = list(modalities.values())
    return {name: every.count(name) for name in SHORT.values() if every.count(name) >= _FEWEST}


def modality_of_each(test: Dataset) -> dict[str, str]:
    """The modality of each image by its short name, "" where it has none or several."""
    found: dict[str, str] = {}
    for image, cuis in zip(test.ids, test.column("cui_manual").to_pylist(), strict=True):
        short = {SHORT[one] for one in cuis or () if one in SHORT}
        found[image] = short.pop() if len(short) == 1 else ""
    return found


def modality_means(
    ids: Sequence[str], values: Sequence[float], modalities: Mapping[str, str]
) -> dict[str, float]:
    """The mean over the images of each of them."""
    parts: dict[str, list[float]] = {}
    for one, value in zip(ids, values, strict=True):
        parts.setdefault(modalities[one], []).append(value)
    return {
        name: sum(parts[name]) / len(parts[name])
        for name in SHORT.values()
        if len(parts.get(name, ())) >= _FEWEST
    }
