"""Which caption of each record is meant.

Invariant: one entry for each record, in the order of the dataset; None where there is no such caption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.records import Caption, CaptionSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.captioning.settings import CaptionDataSettings
    from radcap.datasets import Dataset

__all__ = ["chosen_captions"]


def chosen_captions(dataset: Dataset, settings: CaptionDataSettings) -> list[Caption | None]:
    """The first caption of each record, or the first of the source that is asked for."""
    cells: list[Sequence[Mapping[str, str]]] = dataset.column("captions").to_pylist()
    return [_chosen(cell, settings.captions) for cell in cells]


def _chosen(cell: Sequence[Mapping[str, str]], source: str) -> Caption | None:
    for one in cell:
        if source in {"any", one["source"]}:
            return Caption(one["text"], CaptionSource(one["source"]), one["language"])
    return None
