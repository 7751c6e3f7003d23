"""Plain tables of CUI, name, synonyms and types: by hand, of a dataset (`cui_mapping.csv`), of MedCAT.

Invariant: a column is found by what its owner says it is, by what its header calls it, or, without header, by
the form of its first cell. Several names, CUIs or types of one cell are parted by '|', the last two also by
';'.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from radcap.core import unknown_name
from radcap.formats import shown
from radcap.vocabulary.concepts import cui_number, cui_text, type_number
from radcap.vocabulary.drafts import PREFERRED, SYNONYM
from radcap.vocabulary.sources.checking import Checks
from radcap.vocabulary.sources.delimited import find_separator, read_rows
from radcap.vocabulary.sources.drafting import Drafting
from radcap.vocabulary.sources.inputs import Reading
from radcap.vocabulary.sources.text_lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Input, Told

__all__ = ["HEADERS", "read_table"]

HEADERS: Mapping[str, tuple[str, ...]] = {
    "cui": ("cui", "cuis", "umls cui", "umls cuis", "concept", "concepts", "concept id"),
    "name": ("name", "canonical name", "preferred name", "preferred label", "str", "concept name", "label"),
    "synonyms": ("synonyms", "synonym", "exact synonyms", "alternative names", "aliases"),
    "types": ("tui", "tuis", "type ids", "types", "semantic types", "semantic type", "type", "sty"),
    "status": ("name status",),  # of MedCAT: P is the preferred name
    "code": ("code",),
}
_SEVERAL = re.compile(r"[|;]")
_SHARED = 10  # added to the rank where a row names several concepts
_FIRST = 50  # the rank of a first name where another may say that it is preferred
_TOLD = 50_000  # rows between two words of progress


def read_table(given: Input, findings: Findings, told: Told) -> Reading:
    """The names of a table."""
    for column in given.columns:
        if column not in HEADERS:
            raise unknown_name("column of a vocabulary", column, HEADERS)
    about = given.about(given.path.name.partition(".")[0])
    lines = read_lines([given.path], given.file, findings)
    first = next(((number, text) for number, text in lines if text.strip()), None)
    if first is None:
        return Reading(about)
    rows = read_rows(chain((first,), lines), find_separator(first[1]), given.file, findings)
    top = next(rows, (0, list[str]()))
    headed = bool(given.columns) or not any(_is_cui(cell) for cell in top[1])
    columns = _headed(top[1], given, findings) if headed else _bare(top[1], given, findings)
    if not _has_needed(columns, top[1], given, findings):
        return Reading(about)
    taking = _Taking(columns, len(top[1]), given.file, findings, Drafting(about))
    for number, (line, cells) in enumerate(rows if headed else chain((top,), rows)):
        taking.take(line, cells)
        if number % _TOLD == 0:
            told(given.file, number)
    return Reading(about, taking.drafting.finish())


def _is_cui(cell: str) -> bool:
    return cui_number(cell.strip()) is not None


def _bare(cells: Sequence[str], given: Input, findings: Findings) -> dict[str, int]:
    """The columns of a table without header: the CUI, and the first other one. What follows is told."""
    cui = next(place for place, cell in enumerate(cells) if _is_cui(cell))
    others = [place for place in range(len(cells)) if place != cui]
    if others[1:]:
        first = ", ".join(shown(cells[place]) for place in others[1:])
        findings.add("VOC120", given.file, 1, columns=first)
    return {"cui": cui, **({"name": others[0]} if others else {})}


def _headed(cells: Sequence[str], given: Input, findings: Findings) -> dict[str, int]:
    """The place of each column that is known; the others are told."""
    names = [_folded(cell) for cell in cells]
    columns: dict[str, int] = {}
    for column, known in HEADERS.items():
        wanted = given.columns.get(column)
        choice = known if wanted is None else (_folded(wanted),)
        place = next((names.index(one) for one in choice if one in names), None)
        if place is not None:
            columns[column] = place
        elif wanted is not None:
            found = ", ".join(shown(cell) for cell in cells)
            findings.add(
                "VOC119", given.file, 1, file=given.file, name=shown(wanted), column=column, found=found
            )
    others = [shown(cell) for place, cell in enumerate(cells) if place not in columns.values()]
    if others and columns:
        findings.add("VOC111", given.file, 1, columns=", ".join(others))
    return columns


def _folded(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())


def _has_needed(columns: Mapping[str, int], cells: Sequence[str], given: Input, findings: Findings) -> bool:
    missing = [one for one in ("cui", "name") if one not in columns and one not in given.columns]
    for one in missing:
        found = ", ".join(shown(cell) for cell in cells) or "none"
        findings.add("VOC105", given.file, 1, file=given.file, found=found, column=one)
    return "cui" in columns and "name" in columns


class _Taking:
    """Takes rows under known columns."""

    def __init__(
        self, columns: Mapping[str, int], width: int, file: str, findings: Findings, drafting: Drafting
    ) -> None:
        self._columns = columns
        self._width = width
        self._file = file
        self._findings = findings
        self._checks = Checks(file, findings)
        self._known: set[int] = set()  # concepts that have a name
        self.drafting = drafting

    def take(self, line: int, cells: list[str]) -> None:
        if len(cells) > self._width or len(cells) <= max(self._columns["cui"], self._columns["name"]):
            self._findings.add("VOC201", self._file, line, n=len(cells), wanted=self._width)
            return
        texts = [one.strip() for one in _SEVERAL.split(self._cell(cells, "cui")) if one.strip()] or [""]
        numbers = [self._checks.cui(one, line) for one in texts]
        cuis = [one for one in dict.fromkeys(numbers) if one is not None]
        shift = _SHARED * (len(cuis) > 1)
        for cui in cuis:
            self._take(cui, cells, line, shift)

    def _take(self, cui: int, cells: Sequence[str], line: int, shift: int) -> None:
        rank = self._rank(cui, self._cell(cells, "status")) + shift
        for place, name in enumerate(self._checks.names(self._names(cells), cui, line)):
            self.drafting.add_name(cui, name, SYNONYM + shift if place else rank)
            self._known.add(cui)
        for number in self._types(cells, cui_text(cui), line):
            self.drafting.add_type(cui, number)
        code = self._cell(cells, "code")
        if code:
            self.drafting.add_code(cui, code)

    def _rank(self, cui: int, status: str) -> int:
        if cui not in self._known and "status" not in self._columns:
            return PREFERRED
        if status == "P":
            return PREFERRED
        return SYNONYM if cui in self._known else _FIRST

    def _names(self, cells: Sequence[str]) -> Iterator[str]:
        """The name first, empty or not; further ones only where something stands."""
        first, *others = self._cell(cells, "name").split("|")
        yield first
        yield from filter(str.strip, chain(others, self._cell(cells, "synonyms").split("|")))

    def _types(self, cells: Sequence[str], owner: str, line: int) -> Iterator[int]:
        for text in filter(None, map(str.strip, _SEVERAL.split(self._cell(cells, "types")))):
            is_name = type_number(text) is None and " " in text
            number = self._checks.named_type(text, line) if is_name else self._checks.type(text, owner, line)
            if number is not None:
                yield number

    def _cell(self, cells: Sequence[str], column: str) -> str:
        place = self._columns.get(column, len(cells))
        return cells[place].strip() if place < len(cells) else ""
