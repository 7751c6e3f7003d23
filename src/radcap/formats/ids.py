"""The ids of a run: known, once each, complete, in order.

Invariant: one slip is one finding. A missing line does not make every later line misplaced, and a run
of another split is one finding, not one per row.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

from radcap.formats.cells import file_ending
from radcap.formats.dialects import Header
from radcap.formats.expected import Expected, series_of, split_of
from radcap.formats.findings import Findings, named, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.formats.rows import Row

__all__ = ["IdCheck", "misplaced"]

_EXAMPLES = 5


class IdCheck:
    """Takes rows one by one, then says what is missing, foreign or out of order."""

    def __init__(self, findings: Findings, expected: Expected | None) -> None:
        self._findings = findings
        self._expected = expected
        self._lines = array("L", bytes(array("L").itemsize * (0 if expected is None else len(expected))))
        self._order = array("L")  # positions of known ids as they came
        self._strangers: dict[str, int] = {}  # other ids and their first lines
        self._position: Mapping[str, int] = {} if expected is None else expected.position
        self._skips = findings.dialect.skips_ids_with_id
        self._rows = 0
        self._skipped = 0  # rows the scorer drops like a header
        self._trailing = 0  # rows since the last known id
        self._trailing_line = 0  # the first of them

    def take(self, row: Row) -> str | None:
        """The id of a row, repaired where only one reading is possible; None if the row adds no image."""
        image_id = row.cells[0]
        place = self._position.get(image_id)
        if place is not None and not self._lines[place] and not (self._skips and "ID" in image_id):
            self._rows += 1  # nearly every row of nearly every run
            return self._accept(image_id, place, row.line)
        if self._is_skipped(image_id, row.line):
            return None
        self._rows += 1
        self._trailing += 1
        if self._trailing == 1:
            self._trailing_line = row.line
        if not image_id.strip():
            self._findings.add("RUN210", row.line)
            return None
        return self._count(image_id if self._is_known(image_id) else self._repair(image_id, row), row)

    def _is_skipped(self, image_id: str, line: int) -> bool:
        """The ID trap: such rows are dropped like a header, so nobody asks whether the id is right."""
        form = self._findings.dialect
        if not form.skips_ids_with_id or "ID" not in image_id:
            return False
        self._findings.add("RUN212", line, id=named(image_id.strip()))
        dropped = form.header is Header.CONTAINS_ID and not self._is_known(image_id.strip())
        self._skipped += dropped
        return dropped

    def _is_known(self, image_id: str) -> bool:
        return self._expected is not None and image_id in self._expected

    def _repair(self, image_id: str, row: Row) -> str:
        trimmed = image_id.strip()
        if trimmed != image_id:
            self._findings.add("RUN204", row.line, id=shown(image_id))
        ending = file_ending(trimmed)
        bare = trimmed.removesuffix(ending)
        known = self._expected is None or (bare in self._expected and trimmed not in self._expected)
        if not ending or not known:
            return trimmed
        before = len(image_id) - len(image_id.lstrip()) + row.raw.startswith('"')
        self._findings.add("RUN211", row.line, before + len(bare) + 1, id=named(trimmed), ending=ending)
        return bare

    def _count(self, image_id: str, row: Row) -> str | None:
        place = self._position.get(image_id)
        first = self._strangers.get(image_id, 0) if place is None else self._lines[place]
        if first:
            self._findings.add("RUN206", row.line, id=named(image_id), first=first)
            return None
        if place is None:
            self._strangers[image_id] = row.line
            return image_id if self._expected is None else None
        return self._accept(image_id, place, row.line)

    def _accept(self, image_id: str, place: int, line: int) -> str:
        self._lines[place] = line
        self._order.append(place)
        self._trailing = 0
        return image_id

    def finish(self) -> None:
        """Report what only the whole file shows."""
        if self._expected is None:
            return
        self._report_strangers(self._expected)
        self._report_missing(self._expected)
        self._report_surplus(self._expected)
        self._report_order(self._expected)

    def _report_strangers(self, expected: Expected) -> None:
        """Ids of another split or edition as one finding, the rest one by one."""
        if not self._strangers:
            return
        own = {series_of(image_id) for image_id in expected.position}
        foreign: dict[str, list[str]] = {}
        for image_id in self._strangers:
            foreign.setdefault(series_of(image_id), []).append(image_id)
        for series, ids in foreign.items():
            if series not in own and series and 2 * len(ids) >= self._rows:
                self._report_series(series, ids, expected)
            else:
                self._report_unknown(ids, expected)

    def _report_series(self, series: str, ids: list[str], expected: Expected) -> None:
        other = f"{named(series)}*" + (f", the {split_of(series)} set" if split_of(series) else "")
        own = named(series_of(next(iter(expected.position), "")))
        line = self._strangers[ids[0]]
        self._findings.add(
            "RUN213", line, n=f"{len(ids):,}", other=other, split=f"{own}* of {expected.source}"
        )

    def _report_unknown(self, ids: list[str], expected: Expected) -> None:
        for image_id in ids:
            self._findings.add(
                "RUN205",
                self._strangers[image_id],
                id=named(image_id),
                split=expected.split,
                ids_file=expected.source,
            )

    def _report_missing(self, expected: Expected) -> None:
        if len(expected) == len(self._order) or not (self._rows or self._skipped):
            return  # a file without rows has a finding of its own
        places = ((one, place) for one, place in expected.position.items() if one not in expected.optional)
        ids = (image_id for image_id, place in places if not self._lines[place])
        if self._findings.dialect.header is Header.CONTAINS_ID:
            ids = (image_id for image_id in ids if "ID" not in image_id)  # dropped from the truth as well
        absent = list(ids)
        if absent:
            examples = ", ".join(map(named, absent[:_EXAMPLES]))
            n, total = f"{len(absent):,}", f"{len(expected):,}"
            self._findings.add("RUN207", 0, 0, n=n, total=total, examples=examples)

    def _report_surplus(self, expected: Expected) -> None:
        if self._rows > len(expected) and self._trailing and self._order:
            n, total = f"{self._trailing:,}", f"{len(expected):,}"
            self._findings.add("RUN209", self._trailing_line, n=n, total=total)

    def _report_order(self, expected: Expected) -> None:
        wrong = misplaced(self._order)
        if not wrong:
            return
        if not self._findings.dialect.ordered:
            wrong = wrong[:1]  # any order is accepted; one note is enough
        ids = list(expected.position)
        wrong_rows = set(wrong)
        follower = 0  # the position that should come next
        for row, place in enumerate(self._order):
            if row not in wrong_rows:
                follower = place + 1
                continue
            wanted = named(ids[follower]) if follower < len(ids) else "No further row"
            self._findings.add(
                "RUN208",
                self._lines[place],
                position=row + 1,
                id=named(ids[place]),
                expected=wanted,
                ids_file=expected.source,
            )


def misplaced(order: array[int]) -> list[int]:
    """The fewest rows to move so that the rest ascends: those outside a longest increasing subsequence.

    >>> misplaced(array("L", [9, 1, 2, 3, 4]))
    [0]
    """
    if all(order[i] < order[i + 1] for i in range(len(order) - 1)):
        return []
    tails: list[int] = []  # smallest last value of an ascending sequence of each length
    last_rows: list[int] = []
    before = array("l", bytes(array("l").itemsize * len(order)))
    for row, place in enumerate(order):
        length = bisect_left(tails, place)
        before[row] = last_rows[length - 1] if length else -1
        if length == len(tails):
            tails.append(place)
            last_rows.append(row)
        else:
            tails[length], last_rows[length] = place, row
    kept: set[int] = set()
    row = last_rows[-1]
    while row >= 0:
        kept.add(row)
        row = before[row]
    return [row for row in range(len(order)) if row not in kept]
