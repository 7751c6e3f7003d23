"""Readings into a folder, one by one as they are made; the same call goes on where one stopped.

Invariant: what was read is not read again, whether the call before ended by Ctrl-C, by `kill -9` or for want
of room. Memory holds the cards of one page and the counts. Every page is whole or not there.
"""

from __future__ import annotations

import errno
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from radcap.core import Missing, RadcapError
from radcap.formats import replacing
from radcap.reading.page import BATCH, Around, Census, Entry, batch_page, entry_of, index_page
from radcap.reading.run_folder.fingerprint import Fingerprint
from radcap.reading.run_folder.folder import INDEX, READINGS, UNFINISHED, claimed, page_name
from radcap.reading.run_folder.journal import Journal
from radcap.reading.run_folder.resuming import taken_up

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.reading.run_folder.fingerprint import Reads
    from radcap.reading.values import Reading, Unread

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
        book = _Book(out, run, readings, cards, left.census, left.entries)
        kept = book.census.read
        try:
            _go_on(book, reader, dataset, progress)
        except OSError as error:
            raise book.full(error) if error.errno in _FULL else error from None
    (out / UNFINISHED).unlink(missing_ok=True)
    pages = tuple(out / page_name(number + 1) for number in range(len(book.census.pages)))
    return Written(out, pages, book.census.read - kept, kept, tuple(book.census.unread))


def _go_on(book: _Book, reader: Reads, dataset: Dataset, progress: Callable[[str, int], None] | None) -> None:
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


@dataclass(slots=True)
class _Book:
    """The files of a run, and the page that is open."""

    out: Path
    run: Fingerprint
    readings: Journal
    cards: Journal
    census: Census
    entries: list[Entry] = field(default_factory=list[Entry])

    def add(self, one: Reading | Unread) -> None:
        """The card first: a reading whose card is lost would have to be read again for its maps."""
        entry, told = entry_of(one, self.census.done + 1), one.to_json()
        self.cards.append(entry.to_json())
        self.readings.append(told)
        self.entries.append(entry)
        self.census.add(told)
        self.turn()

    def turn(self) -> None:
        """Close the page where it is full."""
        if len(self.entries) == BATCH:
            self._close()

    def end(self) -> None:
        """Close the last page."""
        if self.entries:
            self._close()
        self._write_index(len(self.census.pages))

    def show(self) -> None:
        """The page that is open as it is, for who looks before the run goes on; it stays open."""
        if self.entries:
            self._write_page()
        self._write_index(len(self.census.pages))

    def full(self, error: OSError) -> Missing:
        done = f"{self.census.done:,} of {self.run.images:,} images are done and kept"
        why = f"{(error.strerror or 'No room').rstrip('.')}; {done}."
        return Missing(f"Room on the disk of {self.out}", why, "Free some, and give the same command again.")

    def _close(self) -> None:
        self._write_page()
        self.entries.clear()
        self.cards.cut(0)
        self._write_index(len(self.census.pages))

    def _write_page(self) -> None:
        number = (self.entries[0].number - 1) // BATCH + 1
        before = page_name(number - 1) if number > 1 else ""
        after = page_name(number + 1) if number * BATCH < self.run.images else ""
        many = -(-self.run.images // BATCH)
        title = "Readings" if many == 1 else f"Readings, page {number} of {many:,}"
        text = batch_page(title, self.entries, Around(INDEX, before, after))
        with replacing(self.out / page_name(number)) as part:
            part.write_text(text, encoding="utf-8")

    def _write_index(self, pages: int) -> None:
        files = [page_name(number + 1) for number in range(pages)]
        facts = (("Model", self.run.model), ("Readings as JSON lines", READINGS))
        with replacing(self.out / INDEX) as part:
            text = index_page("Readings", self.census, self.run.images, files, facts)
            part.write_text(text, encoding="utf-8")
