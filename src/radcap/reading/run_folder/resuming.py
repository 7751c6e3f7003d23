"""What an earlier call left in a folder: how many images are done, and the cards of the page that is open.

A page is done when all its images are read and no card of it is in `unfinished.jsonl`: cards go after their
page is written, so a call that died between the two writes the page once more.

Invariant: what is told to be done is in `readings.jsonl` and on a page, or in `unfinished.jsonl`; the rest of
both files is taken away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.reading.page import BATCH, Census, Entry
from radcap.reading.run_folder.folder import page_name

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.reading.run_folder.journal import Journal

__all__ = ["Left", "taken_up"]


@dataclass(frozen=True, slots=True)
class Left:
    """What was counted so far, and the entries of the page that is open."""

    census: Census
    entries: list[Entry]


def taken_up(out: Path, readings: Journal, cards: Journal, total: int) -> Left:
    """Look at what is there, and bring both files to one state."""
    written = sum(1 for _ in readings)
    kept = _entries(cards)
    pages = _pages_done(out, kept, min(written, total), total)
    start = min(pages * BATCH, total)
    open_ = _in_a_row(kept, start)
    done = min(written, start + len(open_), total)
    open_ = open_[: done - start]
    readings.cut(done)
    _write_again(cards, open_)
    return Left(_counted(readings), open_)


def _entries(cards: Journal) -> list[Entry]:
    found: list[Entry] = []
    for told in cards:
        try:
            found.append(Entry.from_json(told))
        except (KeyError, ValueError, TypeError):
            break
    return found


def _pages_done(out: Path, kept: list[Entry], written: int, total: int) -> int:
    """How many pages from the first on are done.

    Of files that somebody took away the last are written again; for one in the middle nothing that follows
    is read again.
    """
    full = -(-total // BATCH) if written == total else written // BATCH
    pages = min([full, *((one.number - 1) // BATCH for one in kept)])
    while pages and not (out / page_name(pages)).is_file():
        pages -= 1
    return pages


def _in_a_row(kept: list[Entry], start: int) -> list[Entry]:
    """The entries of the open page, without a gap."""
    found: list[Entry] = []
    for one in kept:
        if one.number == start + len(found) + 1 and len(found) < BATCH:
            found.append(one)
    return found


def _write_again(cards: Journal, entries: list[Entry]) -> None:
    cards.cut(0)
    for one in entries:
        cards.append(one.to_json())


def _counted(readings: Journal) -> Census:
    census = Census()
    for told in readings:
        census.add(told)
    return census
