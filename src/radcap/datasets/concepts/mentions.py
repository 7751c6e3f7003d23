"""What captions say about the concepts of their images, through the linker.

Labels can be wrong both ways: a caption names what is not labelled, a label stands where no caption names it.
Invariant: only captions that authors wrote in English are read (where no language is given it is taken for
English), and what a caption only denies it does not mention. In doubt a caption speaks for the label: `heard`
has the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.concepts.cooccurrence import RowsByCode
from radcap.datasets.lists import rows_of, single
from radcap.datasets.records import CaptionSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence, Set

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets.concepts.labelling import Labelling
    from radcap.datasets.records import Caption
    from radcap.vocabulary import Linker, Mention

__all__ = ["Agreement", "Mentions", "Verdict", "find_mentions", "heard", "is_read"]

_READ = ("en", "")
_SHOWN_EVERY = 1024


class Verdict(StrEnum):
    """What label and caption of an image say of one concept; every image is in one of these or in none."""

    BOTH = "labelled, and mentioned"
    LABELLED_ONLY = "labelled, not mentioned"
    LABELLED_DENIED = "labelled, though denied"
    MENTIONED_ONLY = "mentioned, not labelled"
    DENIED = "denied, and not labelled"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Images with a caption, by what is said of one concept."""

    both: int
    labelled_only: int
    labelled_denied: int
    mentioned_only: int
    denied: int

    def of(self, verdict: Verdict) -> int:
        """The images of which that is true."""
        return getattr(self, verdict.name.lower())


class Mentions:
    """The images whose captions mention or deny each concept."""

    def __init__(self, labelling: Labelling, captioned: NDArray[np.bool_], said: _Said) -> None:
        self._labelled = labelling.beside
        self._captioned = captioned
        width = max(1, len(labelling))
        affirmed = np.unique(np.array(said.affirmed, np.int64))
        denied = np.setdiff1d(np.array(said.denied, np.int64), affirmed)
        self._affirmed, self._denied = (
            RowsByCode(keys // width, keys % width, len(labelling)) for keys in (affirmed, denied)
        )

    @property
    def captioned(self) -> int:
        """How many images have a caption that was read."""
        return int(self._captioned.sum())

    def rows(self, code: int) -> dict[Verdict, NDArray[np.int64]]:
        """The images of each verdict about a concept, ascending."""
        labelled = self._labelled.images(code)
        labelled = labelled[self._captioned[labelled]]
        affirmed, denied = self._affirmed[code], self._denied[code]
        return {
            Verdict.BOTH: np.intersect1d(labelled, affirmed, assume_unique=True),
            Verdict.LABELLED_ONLY: np.setdiff1d(labelled, np.union1d(affirmed, denied), assume_unique=True),
            Verdict.LABELLED_DENIED: np.intersect1d(labelled, denied, assume_unique=True),
            Verdict.MENTIONED_ONLY: np.setdiff1d(affirmed, labelled, assume_unique=True),
            Verdict.DENIED: np.setdiff1d(denied, labelled, assume_unique=True),
        }

    def agreement(self, code: int) -> Agreement:
        """A concept in labels and captions."""
        return Agreement(**{verdict.name.lower(): len(rows) for verdict, rows in self.rows(code).items()})


@dataclass(frozen=True, slots=True)
class _Said:
    """Pairs of image and concept, each as one number."""

    affirmed: list[int]
    denied: list[int]


def find_mentions(
    labelling: Labelling, linker: Linker, progress: Callable[[str, int], None] | None = None
) -> Mentions:
    """Read every caption once; `progress` is told how many are done."""
    rows, texts = _captions(labelling.dataset.column("captions"))
    captioned = np.zeros(labelling.labels.images, np.bool_)
    captioned[rows] = True
    said = _Said([], [])
    width, code_of = max(1, len(labelling)), labelling.code_of
    found_in = linker.extract(texts, trace=True)
    for done, (row, found) in enumerate(zip(rows.tolist(), found_in, strict=True)):
        for cui, mention in heard(found, labelling.cuis_of(row), labelling.above):
            if cui in code_of:
                (said.denied if mention.negated else said.affirmed).append(row * width + code_of[cui])
        if progress and done % _SHOWN_EVERY == 0:
            progress("captions", done)
    return Mentions(labelling, captioned, said)


def heard(
    mentions: Sequence[Mention], labelled: Set[Cui], above: Callable[[Cui], Set[Cui]]
) -> Iterator[tuple[Cui, Mention]]:
    """The concepts that the mentions of a text, dropped ones too, speak of on an image with these labels.

    A mention speaks of its concept; where its words name several and some are labelled, of those. It also
    speaks of every label above it: bacterial pneumonia of pneumonia. Words inside a longer name, which the
    linker drops, speak of labels alone: chest CT of CT.
    """
    end = 0  # of the last one that was kept; those inside it follow it
    for one in mentions:
        end = max(end, one.end if one.kept else 0)
        if one.end > end:
            continue
        named = [cui for cui in (one.cui, *one.others) if cui in labelled]
        for cui in {*named, *(above(one.cui) & labelled), *(() if named or not one.kept else (one.cui,))}:
            yield cui, one


def is_read(caption: Caption) -> bool:
    """Whether a caption counts: written by the author, in English as far as known."""
    return caption.source is CaptionSource.ORIGINAL and caption.language in _READ


def _captions(column: Any) -> tuple[NDArray[np.int64], Iterator[str]]:
    """The captions that are read, and the row of each; `is_read` for all at once."""
    lists = single(column)
    flat = lists.flatten()
    kept = pc.and_(
        pc.equal(flat.field("source"), CaptionSource.ORIGINAL.value),
        pc.is_in(flat.field("language"), pa.array(_READ)),
    ).to_numpy(zero_copy_only=False)
    texts = flat.field("text").filter(pa.array(kept))
    return rows_of(lists)[kept], (one.as_py() for one in texts)
