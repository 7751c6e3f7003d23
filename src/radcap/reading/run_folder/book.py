"""The files of a run while it is written: two journals, the page that is open, and the index.

Invariant: a reading is in both journals before it is counted, and the cards of a page go only after the page
is written; so whatever ends the process, what is counted can be found again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from radcap.core import Missing, counted
from radcap.formats import replacing
from radcap.reading.page import BATCH, Around, Census, Entry, batch_page, entry_of, index_page
from radcap.reading.run_folder.folder import INDEX, READINGS, page_name

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.reading.run_folder.fingerprint import Fingerprint
    from radcap.reading.run_folder.journal import Journal
    from radcap.reading.values import Reading, Unread

__all__ = ["Book"]


@dataclass(slots=True)
class Book:
    """The files of a run, and the page that is open."""

    out: Path
    run: Fingerprint
    readings: Journal
    cards: Journal
    census: Census
    entries: list[Entry] = field(default_factory=list[Entry])

    @property
    def pages(self) -> list[str]:
        """The files of the pages so far, an empty name for one that somebody took away."""
        names = [page_name(number + 1) for number in range(len(self.census.pages))]
        return [name if (self.out / name).is_file() else "" for name in names]

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
        self._write_index()

    def show(self) -> None:
        """The page that is open as it is, for who looks before the run goes on; it stays open."""
        if self.entries:
            self._write_page()
        self._write_index()

    def full(self, error: OSError) -> Missing:
        done = f"done and kept: {self.census.done:,} of {counted(self.run.images)}"
        why = f"{(error.strerror or 'No room').rstrip('.')}; {done}."
        return Missing(f"Room on the disk of {self.out}", why, "Free some, and give the same command again.")

    def _close(self) -> None:
        self._write_page()
        self.entries.clear()
        self.cards.cut(0)
        self._write_index()

    def _write_page(self) -> None:
        number = (self.entries[0].number - 1) // BATCH + 1
        before = page_name(number - 1) if number > 1 else ""
        after = page_name(number + 1) if number * BATCH < self.run.images else ""
        many = -(-self.run.images // BATCH)
        title = "Readings" if many == 1 else f"Readings, page {number} of {many:,}"
        text = batch_page(title, self.entries, Around(INDEX, before, after))
        with replacing(self.out / page_name(number)) as part:
            part.write_text(text, encoding="utf-8")

    def _write_index(self) -> None:
        facts = (("Model", self.run.model), ("Readings as JSON lines", READINGS))
        text = index_page("Readings", self.census, self.run.images, self.pages, facts)
        with replacing(self.out / INDEX) as part:
            part.write_text(text, encoding="utf-8")
