"""The records of a split as plain rows, beside their images.

Invariant: rows are made a thousand at a time, images one at a time, both in the order of the dataset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.saving import Payload, Payloads

__all__ = ["rows_of"]

_BATCH = 1000


def rows_of(dataset: Dataset, split: str, payloads: Payloads) -> Iterator[tuple[dict[str, Any], Payload]]:
    """Each record of a split with its image."""
    if split in dataset.splits:
        yield from zip(_rows(dataset.split(split)), payloads.of(split), strict=True)


def _rows(dataset: Dataset) -> Iterator[dict[str, Any]]:
    for start in range(0, len(dataset), _BATCH):
        yield from dataset.table.slice(start, _BATCH).to_pylist()
