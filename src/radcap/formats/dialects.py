"""The run files of ten years as data: one `Dialect` per edition and task, one reader for all.

Invariant: nothing in `formats` asks for an edition by name; what differs stands in this table.
Sources: the task pages, overviews and evaluators of each edition; what no source states is None.
>>> dialect("2021", Task.CAPTIONS).separators
('|',)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from radcap.core import MODALITIES, Task, UsageError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DIALECTS", "EDITIONS", "RADCAP", "Dialect", "Header", "dialect"]

RADCAP = "radcap"  # the tolerant edition
EDITIONS = (*(str(year) for year in range(2017, 2027)), "rocov2", RADCAP)

TAB, PIPE, COMMA = "\t", "|", ","
_ANY = (COMMA, TAB, PIPE)


class Header(StrEnum):
    """What an edition makes of a first line that names the columns."""

    NONE = "none"  # no header is known: such a line is read as an image
    CONTAINS_ID = "contains ID"  # any line whose first cell contains the letters ID is skipped
    NEEDED = "needed"  # the first line is never counted as an image, header or not
    EXACT = "exact"  # exactly the two names, same case
    OPTIONAL = "optional"  # found by its names, any case


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one edition writes the runs of one task."""

    edition: str
    task: Task
    year: int  # whose rules on levels hold; for editions that are no year, the nearest
    separators: tuple[str, ...]  # more than one: the first line decides
    header: Header
    quoting: bool = True
    zipped: bool | None = False  # None: a plain file and a zip are equally welcome
    ordered: bool = False  # rows stand in the order of the truth
    linewise: bool = False  # quoting is tested on raw lines, so line breaks in captions shift the test
    strip_parts: bool = True  # blanks around a CUI inside the cell are ignored
    max_cuis: int | None = None
    max_runs: int | None = None  # graded runs per team
    modalities: frozenset[str] = frozenset()  # of the secondary score, where there is one

    @property
    def columns(self) -> tuple[str, str]:
        return ("ID", "CUIs") if self.task is Task.CONCEPTS else ("ID", "Caption")

    @property
    def tolerant(self) -> bool:
        return self.edition == RADCAP

    @property
    def skips_ids_with_id(self) -> bool:
        """Whether the official concept evaluator drops every row whose id contains 'ID'."""
        return self.task is Task.CONCEPTS and self.header in {Header.CONTAINS_ID, Header.EXACT}


_SIX = frozenset(MODALITIES) - {"C0920367", "C1699633"}
_SEVEN = _SIX | {"C0920367"}

_tabbed = partial(Dialect, separators=(TAB,), header=Header.NONE, quoting=False)
_piped = partial(Dialect, separators=(PIPE,), header=Header.NONE, quoting=False, max_runs=10)
_comma = partial(Dialect, separators=(COMMA,))
_any = partial(Dialect, separators=_ANY)

_K, _C = Task.CONCEPTS, Task.CAPTIONS
_TABLE = (
    _tabbed("2017", _K, 2017, strip_parts=False, max_runs=10),
    _tabbed("2018", _K, 2018, strip_parts=False, max_runs=10, max_cuis=1286),
    _tabbed("2019", _K, 2019, strip_parts=False),
    _tabbed("2020", _K, 2020, strip_parts=False, max_runs=10, max_cuis=150),
    _piped("2021", _K, 2021),
    _piped("2022", _K, 2022, max_cuis=100),
    _any("2023", _K, 2023, header=Header.CONTAINS_ID, max_cuis=100, max_runs=10, modalities=_SIX),
    _comma("2024", _K, 2024, header=Header.CONTAINS_ID, max_cuis=100, max_runs=10, modalities=_SIX),
    _comma(
        "2025", _K, 2025, header=Header.CONTAINS_ID, zipped=True, max_cuis=100, max_runs=30, modalities=_SEVEN
    ),
    _comma("2026", _K, 2026, header=Header.EXACT, zipped=True, ordered=True, max_cuis=100, modalities=_SEVEN),
    _comma("rocov2", _K, 2024, header=Header.OPTIONAL, zipped=None, max_cuis=100, modalities=_SIX),
    _any(RADCAP, _K, 2025, header=Header.OPTIONAL, zipped=None, max_cuis=100, modalities=_SEVEN),
    _tabbed("2017", _C, 2017, max_runs=10),
    _tabbed("2018", _C, 2018, max_runs=10),
    _piped("2021", _C, 2021),
    _piped("2022", _C, 2022),
    _any("2023", _C, 2023, header=Header.OPTIONAL, max_runs=10),
    _comma("2024", _C, 2024, header=Header.OPTIONAL, max_runs=10),
    _comma("2025", _C, 2025, header=Header.NEEDED, zipped=True, max_runs=30),
    _comma("2026", _C, 2026, header=Header.EXACT, zipped=True, ordered=True, linewise=True),
    _comma("rocov2", _C, 2024, header=Header.OPTIONAL, zipped=None),
    _any(RADCAP, _C, 2025, header=Header.OPTIONAL, zipped=None),
)
DIALECTS: Mapping[tuple[str, Task], Dialect] = {(row.edition, row.task): row for row in _TABLE}


def dialect(edition: str, task: Task) -> Dialect:
    """The dialect of an edition; a subtask that was not held is refused with the editions that held it."""
    if edition not in EDITIONS:
        raise unknown_name("edition", edition, EDITIONS)
    try:
        return DIALECTS[edition, task]
    except KeyError:
        held = ", ".join(name for name, held_task in DIALECTS if held_task is task)
        raise UsageError(
            f"Edition {edition} had no {task.value} subtask. There is no file format to read. "
            f"Use one of {held}."
        ) from None
