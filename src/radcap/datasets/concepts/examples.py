"""Which images and captions stand for a concept.

Invariant: the same dataset gives the same examples; an image that is not there is no example.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.concepts.mentions import Verdict, heard, is_read
from radcap.datasets.page.sample import stratified_sample
from radcap.datasets.statistics.counting import Partition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from radcap.datasets.concepts.figures import ReadConcepts
    from radcap.datasets.concepts.labelling import Labelling
    from radcap.datasets.records import Record
    from radcap.vocabulary import Mention

__all__ = ["CaptionExample", "caption_examples", "image_examples"]

_IMAGES = 6
_TRIED = 60  # images of which some may not be there
# Where label and caption disagree there is more to see than where they agree.
_CAPTIONS = {
    Verdict.BOTH: 2,
    Verdict.MENTIONED_ONLY: 2,
    Verdict.LABELLED_ONLY: 2,
    Verdict.LABELLED_DENIED: 1,
    Verdict.DENIED: 1,
}
_LONGEST = 20_000  # letters of a caption that are looked at again


@dataclass(frozen=True, slots=True)
class CaptionExample:
    """A caption with the places that speak of the concept, none where it is not mentioned."""

    row: int
    verdict: Verdict
    record: Record
    text: str
    places: tuple[Mention, ...]


def image_examples(labelling: Labelling, code: int, n: int = _IMAGES) -> list[int]:
    """Rows of images that have a concept, from every modality and split as far as there is room."""
    there = _there(labelling, code, n)
    return there if len(there) == n else _there(labelling, code, _TRIED)[:n]


def _there(labelling: Labelling, code: int, n: int) -> list[int]:
    """Of `n` images those that are at hand."""
    rows = labelling.beside.images(code)
    modalities, splits = (_within(one, rows) for one in (labelling.modalities, labelling.splits))
    one_kind = Partition(("all",), np.zeros(len(rows), np.int64))
    drawn: list[int] = rows[stratified_sample(modalities, splits, one_kind, n, seed=0)].tolist()
    images, keys = labelling.dataset.images, labelling.dataset.table["image"]
    return [row for row in drawn if images.has(keys[row].as_py())]


def _within(groups: Partition, rows: NDArray[np.int64]) -> Partition:
    return Partition(groups.names, groups.codes[rows])


def caption_examples(read: ReadConcepts, code: int) -> Iterator[CaptionExample]:
    """Captions where label and text agree, and where they do not."""
    rows = read.mentions.rows(code)
    for verdict, most in _CAPTIONS.items():
        for row in _spread(rows[verdict], most):
            yield CaptionExample(row, verdict, *_said(read, row, code))


def _spread(rows: NDArray[np.int64], n: int) -> list[int]:
    """Some rows, evenly over all of them."""
    places = np.linspace(0, max(0, len(rows) - 1), min(n, len(rows)))
    return rows[places.astype(np.int64)].tolist()


def _said(read: ReadConcepts, row: int, code: int) -> tuple[Record, str, tuple[Mention, ...]]:
    """The first caption of a row that speaks of the concept, else the first that was read."""
    labelling = read.labelling
    record, cui, labelled = labelling.dataset[row], labelling.labels.cuis[code], labelling.cuis_of(row)
    found: list[tuple[str, tuple[Mention, ...]]] = []
    for caption in filter(is_read, record.captions):
        text = caption.text[:_LONGEST]
        mentions = heard(read.linker.link(text, trace=True), labelled, labelling.above)
        found.append((text, tuple(one for spoken, one in mentions if spoken == cui)))
    return record, *next((one for one in found if one[1]), found[0])
