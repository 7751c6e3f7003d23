"""Readings into a folder, one by one as they are made; the same call goes on where one stopped.

Invariant: what was read is not read again, whether the call before ended by Ctrl-C, by `kill -9` or for want
of room. Memory holds the cards of one page and the counts. Every page is whole or not there.
"""

from __future__ import annotations

import errno
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.core import RadcapError
from radcap.reading.run_folder.book import Book
from radcap.reading.run_folder.fingerprint import Fingerprint
from radcap.reading.run_folder.folder import INDEX, READINGS, UNFINISHED, claimed
from radcap.reading.run_folder.journal import Journal
from radcap.reading.run_folder.resuming import taken_up

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.reading.run_folder.fingerprint import Reads
    from radcap.reading.values import Unread

__all__ = ["Written", "write_readings"]

_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True)
class Written:
    """What the folder holds now: images read by this call, those kept from calls before, those not read."""

    out: Path
    pages: tuple[Path, ...]
    read: int
    kept: int
    unread: tuple[Unread, ...]

    @property
    def start(self) -> Path:
        """What to look at first: the page where there is one alone, else the index."""
        return self.pages[0] if len(self.pages) == 1 else self.out / INDEX


def write_readings(
    reader: Reads, dataset: Dataset, out: Path, *, progress: Callable[[str, int], None] | None = None
) -> Written:
    """Read every image that is not done yet, and write pages, an index and all readings."""
    run = Fingerprint.of(reader, dataset)
    with (
        claimed(out, run),
        closing(Journal(out / READINGS)) as readings,
        closing(Journal(out / UNFINISHED)) as cards,
    ):
        left = taken_up(out, readings, cards, run.images)
        book = Book(out, run, readings, cards, left.census, left.entries)
        kept = book.census.read
        try:
            _go_on(book, reader, dataset, progress)
        except OSError as error:
            raise book.full(error) if error.errno in _FULL else error from None
    (out / UNFINISHED).unlink(missing_ok=True)
    pages = tuple(out / one for one in book.pages if one)
    return Written(out, pages, book.census.read - kept, kept, tuple(book.census.unread))


def _go_on(book: Book, reader: Reads, dataset: Dataset, progress: Callable[[str, int], None] | None) -> None:
    """Read what is left; where that ends early, show what there is."""
    done = book.census.done

    def count(what: str, number: int) -> None:
        if progress is not None:
            progress(what, done + number)

    try:
        book.turn()
        for one in reader(dataset[done:], count) if done < len(dataset) else ():
            book.add(one)
        book.end()
    except BaseException:
        with suppress(OSError, RadcapError):
            book.show()
        raise
