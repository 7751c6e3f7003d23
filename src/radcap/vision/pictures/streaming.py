"""Pictures in passing: decoded ahead of the network or as it goes, never more than a few batches at a time.

Invariant: batches come in the order of the dataset; an image that will not decode is left out of its batch
and told in `refused`. The squares are those that training saw.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.datasets.images.letterbox import ROW, code_name, letterbox, refuse_row
from radcap.datasets.refusal import ImageRefused, missing_image, refuse
from radcap.vision.pictures.preparing import equalised, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from radcap.datasets import Dataset, ImageRef
    from radcap.vision.pictures.view import View

__all__ = ["Shot", "stream"]

_AHEAD = 2  # batches that wait for each thread


@dataclass(frozen=True)
class Shot:
    """A batch of squares on the host, with their boxes."""

    ids: tuple[str, ...]
    squares: torch.Tensor
    boxes: torch.Tensor
    refused: Mapping[str, str] = field(default_factory=dict[str, str])


def stream(dataset: Dataset, view: View, batch: int = 32, threads: int = 1) -> Iterator[Shot]:
    """The pictures of a dataset, a batch at a time; without threads each is decoded when it is asked for."""
    ids = dataset.ids
    starts = range(0, len(ids), batch)

    def decode(start: int) -> Shot:
        stop = min(start + batch, len(ids))
        refs = [dataset.image(place) for place in range(start, stop)]
        return _decoded(ids[start:stop], refs, view)

    if not threads:
        yield from map(decode, starts)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Shot]] = deque()
        for start in starts:
            waiting.append(pool.submit(decode, start))
            if len(waiting) > threads * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _decoded(ids: Sequence[str], refs: Sequence[ImageRef], view: View) -> Shot:
    squares = np.empty((len(ids), view.side, view.side, view.channels), np.uint8)
    rows = np.zeros(len(ids), ROW)
    for place, ref in enumerate(refs):
        square, row = squares[place], rows[place : place + 1]
        try:
            letterbox(_bytes(ref), ref.name, square, row)
        except ImageRefused as refused:
            refuse_row(square, row, refused.code)
    fine = rows["code"] == 0
    refused = {one: code_name(code) for one, code in zip(ids, rows["code"].tolist(), strict=True) if code}
    kept = tuple(one for one, good in zip(ids, fine.tolist(), strict=True) if good)
    return _prepared(
        Shot(kept, torch.from_numpy(squares[fine]), torch.from_numpy(rows["box"][fine]), refused), view
    )


def _bytes(ref: ImageRef) -> bytes:
    """The file of an image; a record may have none, and a disk may fail."""
    if not ref.key:
        raise missing_image("")
    try:
        return ref.bytes
    except OSError as error:
        raise refuse("IMG109", ref.name, why=error.strerror or str(error)) from error


def _prepared(shot: Shot, view: View) -> Shot:
    boxes = trimmed(shot.squares, shot.boxes) if view.settings.trim else shot.boxes
    limit = view.settings.clahe
    squares = equalised(shot.squares, boxes, limit) if limit else shot.squares
    return Shot(shot.ids, squares, boxes.float(), shot.refused)
