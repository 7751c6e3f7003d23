"""Captions of one dataset that stand, in whole or in part, in another.

Invariant: a caption that a grammar composed tells labels and nothing else, so that equal ones are no evidence
of a leak, and it is compared with no other kind. Neither are texts of fewer than four words evidence:
"Preoperative radiograph" stands below many images.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.leaks.matching import Keyed, Matches, code_both, match_keys
from radcap.datasets.leaks.word_windows import Words, read_words
from radcap.datasets.lists import rows_of, single
from radcap.datasets.records import CaptionSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset

__all__ = ["Texts"]

_SHORT = 4  # words from which an equal text says something
_INSIDE = 8  # words from which a text within another is no mere phrase


@dataclass(frozen=True, slots=True)
class _Side:
    texts: Any  # every caption
    rows: NDArray[np.int64]  # its record
    telling: NDArray[np.bool_]  # not composed
    offset: int  # of its texts among those of both sides

    @property
    def places(self) -> NDArray[np.int64]:
        return np.arange(self.offset, self.offset + len(self.rows))


class Texts:
    """The captions of two datasets, ready to be compared."""

    def __init__(self, first: Dataset, second: Dataset) -> None:
        self._first = _side(first, 0)
        self._second = _side(second, len(self._first.texts))
        both = pa.concat_arrays([self._first.texts, self._second.texts])
        self._words: Words = read_words(both)
        self._long = self._words.lengths >= _SHORT

    def equal(self) -> Matches:
        """Captions that are the same, letter by letter."""
        return self._match(*code_both(self._first.texts, self._second.texts), self._strong)

    def alike(self) -> Matches:
        """Captions that are the same but for case and blanks."""
        return self._match(*self._plain_codes(), self._strong)

    def weak(self) -> Matches:
        """Short captions that are the same but for case and blanks."""
        return self._match(*self._plain_codes(), self._short)

    def composed(self) -> Matches:
        """Composed captions that are the same but for case and blanks."""
        return self._match(*self._plain_codes(), lambda side: ~side.telling)

    def runs(self, length: int) -> Matches:
        """Captions that share a run of so many words."""
        return match_keys(self._windows(self._first, length), self._windows(self._second, length))

    def inside(self) -> Matches:
        """Captions of eight words or more that stand in a longer one of the other side, either way."""
        whole_first, runs_second = self._within(self._first, self._second)
        whole_second, runs_first = self._within(self._second, self._first)
        # turned bits keep the directions apart: whole texts that are equal are no text within another
        return match_keys(_both(whole_first, runs_first), _both(runs_second, whole_second))

    def _plain_codes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return code_both(_plain(self._first.texts), _plain(self._second.texts))

    def _strong(self, side: _Side) -> NDArray[np.bool_]:
        return side.telling & self._long[side.places]

    def _short(self, side: _Side) -> NDArray[np.bool_]:
        return side.telling & ~self._long[side.places]

    def _match(
        self,
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        which: Callable[[_Side], NDArray[np.bool_]],
    ) -> Matches:
        return match_keys(
            *(
                self._keyed(side, codes, which(side))
                for side, codes in ((self._first, first), (self._second, second))
            )
        )

    def _keyed(self, side: _Side, codes: NDArray[np.int64], wanted: NDArray[np.bool_]) -> Keyed:
        kept = wanted & (self._words.lengths[side.places] > 0)
        return Keyed(side.rows[kept], codes[kept])

    def _windows(self, side: _Side, length: int) -> Keyed:
        """Every run of words of a side, owned by its record."""
        begins, owners = self._words.windows(side.places[side.telling], length)
        return Keyed(side.rows[owners - side.offset], self._words.hashes(begins, length))

    def _within(self, inner: _Side, outer: _Side) -> tuple[Keyed, Keyed]:
        """Whole texts of the one side, and the runs of longer texts of the other that may be one of them."""
        words = self._words
        texts = inner.places[inner.telling & (words.lengths[inner.places] >= _INSIDE)]
        whole = words.hashes(words.starts[texts], words.lengths[texts])
        begins, owners = words.windows(outer.places[outer.telling], _INSIDE)
        hopeful = np.isin(words.hashes(begins, _INSIDE), words.hashes(words.starts[texts], _INSIDE))
        begins, owners = begins[hopeful], owners[hopeful]
        runs: list[NDArray[np.uint64]] = [np.zeros(0, np.uint64)]
        rows: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        for length in np.unique(words.lengths[texts]).tolist():
            fits = (begins + length <= words.starts[owners + 1]) & (words.lengths[owners] > length)
            hashes = words.hashes(begins[fits], length)
            hit = np.isin(hashes, whole[words.lengths[texts] == length])
            runs.append(hashes[hit])
            rows.append(outer.rows[owners[fits][hit] - outer.offset])
        return Keyed(inner.rows[texts - inner.offset], whole), Keyed(
            np.concatenate(rows), np.concatenate(runs)
        )


def _side(dataset: Dataset, offset: int) -> _Side:
    captions = single(dataset.column("captions"))
    flat = captions.flatten()
    composed = pc.equal(flat.field("source"), CaptionSource.COMPOSED.value).to_numpy(zero_copy_only=False)
    texts = pa.concat_arrays([flat.field("text")])
    return _Side(texts, rows_of(captions), ~composed, offset)


def _both(plain: Keyed, turned: Keyed) -> Keyed:
    return Keyed(np.concatenate([plain.rows, turned.rows]), np.concatenate([plain.codes, ~turned.codes]))


def _plain(texts: Any) -> Any:
    return pc.utf8_trim_whitespace(pc.replace_substring_regex(pc.utf8_lower(texts), r"[\s\p{Z}]+", " "))
