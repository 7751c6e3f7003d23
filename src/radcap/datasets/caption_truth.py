"""The captions of a dataset as the truth of a run, one source at a time.

Invariant: captions of two sources are never in one truth. Where a dataset has several and none is named, the
answer is a refusal with their counts; a blank caption is none, and of several of one source the first counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.core import InputError, Run, Task, UsageError
from radcap.datasets.caption_parts import caption_parts, images_by_source, source_named
from radcap.datasets.lists import rows_of, single, where
from radcap.datasets.records import CaptionSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.datasets.dataset import Dataset

__all__ = ["caption_truth"]


def caption_truth(dataset: Dataset, source: CaptionSource | str | None = None) -> Run:
    """The true captions of one source by image id; without a name, those of the only source there is.

    The `cells` are the captions, `source` says whose they are, and `images` are all of the dataset: a run
    that names them all is scored on those that have such a caption.
    """
    captions = _written(dataset)
    chosen = _chosen(dataset, images_by_source(captions), source)
    ids, texts = _first_of_each(dataset, caption_parts(captions)[chosen])
    cells: Mapping[str, str | None] = dict(zip(ids, texts, strict=True))
    return Run(Task.CAPTIONS, cells, dataset.name, chosen.value, tuple(dataset.ids))


def _written(dataset: Dataset) -> Any:
    """The captions that hold a word."""
    captions = single(dataset.column("captions"))
    blank = pc.equal(pc.utf8_trim_whitespace(captions.flatten().field("text")), "")
    return where(captions, ~blank.to_numpy(zero_copy_only=False))


def _chosen(dataset: Dataset, there: Mapping[str, int], source: CaptionSource | str | None) -> CaptionSource:
    """The source that was named, or the only one."""
    place = _place(dataset)
    if not there:
        raise InputError(f"{place} holds no caption. Nothing can be scored. Give data with captions.")
    counts = " and ".join(f"{n:,} {name}" for name, n in there.items())
    choice = " or ".join(f"--captions {name}" for name in there)
    if source is None and len(there) > 1:
        raise UsageError(f"{place} has {counts} captions. They are scored apart. Write {choice}.")
    wanted = source_named(source if source is not None else next(iter(there)))
    if wanted.value not in there:
        raise UsageError(f"{place} has no {wanted} caption, only {counts} ones. Write {choice}.")
    return wanted


def _place(dataset: Dataset) -> str:
    """What was looked at, in words."""
    splits = " and ".join(dataset.splits)
    return f"The split {splits} of {dataset.name}" if len(dataset.splits) == 1 else dataset.name


def _first_of_each(dataset: Dataset, captions: Any) -> tuple[list[str], list[str]]:
    """Ids and texts of the images that have a caption."""
    rows, first = np.unique(rows_of(captions), return_index=True)
    ids = dataset.column("image_id").take(pa.array(rows))
    return ids.to_pylist(), captions.flatten().field("text").take(pa.array(first)).to_pylist()
