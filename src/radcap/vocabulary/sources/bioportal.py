"""Tables as BioPortal exports ontologies; RadLex comes this way.

Columns: Class ID, Preferred Label, Synonyms, Definitions, Obsolete, CUI, Semantic Types, Parents, then many
that differ. Several values of one cell are parted by '|'.
Invariant: obsolete classes are left out and counted; a class without CUI is joined by name later.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from radcap.formats import shown
from radcap.vocabulary.sources.checking import Checks
from radcap.vocabulary.sources.delimited import read_rows
from radcap.vocabulary.sources.inputs import Reading
from radcap.vocabulary.sources.terms import Term
from radcap.vocabulary.sources.text_lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Input, Told
    from radcap.vocabulary.stamps import Source

__all__ = ["NEEDED", "read_bioportal"]

NEEDED = ("Class ID", "Preferred Label")
_RADLEX = "RadLex License Version 2.0: free of charge, RSNA's notice travels with it"
_RSNA = "Copyright The Radiological Society of North America (RSNA), all rights reserved"
_TYPE = re.compile(r"(?:.*[/#])?(T\d{3})")
_TOLD = 10_000  # classes between two words of progress


def read_bioportal(given: Input, findings: Findings, told: Told) -> Reading:
    """The classes of an ontology."""
    lines = read_lines([given.path], given.file, findings)
    rows = read_rows(lines, ",", given.file, findings)
    line, header = next(rows, (1, list[str]()))
    places = {name.strip(): place for place, name in reversed(list(enumerate(header)))}
    missing = [name for name in NEEDED if name not in places]
    for name in missing:
        found = ", ".join(map(shown, header)) or "none"
        findings.add("VOC105", given.file, line, file=given.file, found=found, column=name)
    if missing:
        return Reading(given.about(given.path.name.partition(".")[0]))
    classes = _Classes(places, len(header), given, findings)
    for number, (at, cells) in enumerate(rows):
        classes.take(at, cells)
        if number % _TOLD == 0:
            told(given.file, number)
    return classes.finish()


class _Classes:
    """Classes while they come in."""

    def __init__(self, places: Mapping[str, int], width: int, given: Input, findings: Findings) -> None:
        self._places = places
        self._width = width
        self._given = given
        self._findings = findings
        self._checks = Checks(given.file, findings)
        self._terms: list[Term] = []
        self._obsolete = 0
        self._is_radlex = False

    def take(self, line: int, cells: list[str]) -> None:
        if len(cells) != self._width:
            self._findings.add("VOC201", self._given.file, line, n=len(cells), wanted=self._width)
            return
        row = {name: cells[place].strip() for name, place in self._places.items()}
        self._is_radlex |= "radlex.org" in row["Class ID"]
        if row.get("Obsolete", "").casefold() in {"true", "1"}:
            self._obsolete += 1
            return
        numbers = [self._checks.cui(one, line) for one in _parts(row.get("CUI", ""))]
        self._terms.append(
            Term(
                _code(row["Class ID"]),
                tuple(dict.fromkeys((row["Preferred Label"], *_parts(row.get("Synonyms", ""))))),
                tuple(dict.fromkeys(one for one in numbers if one is not None)),
                tuple(self._types(row, line)),
                tuple(map(_code, _parts(row.get("Parents", "")))),
                line,
            )
        )

    def _types(self, row: Mapping[str, str], line: int) -> Iterator[int]:
        owner = _code(row["Class ID"])
        for text in _parts(row.get("Semantic Types", "")):
            match = _TYPE.fullmatch(text)
            number = (
                self._checks.type(match[1], owner, line) if match else self._checks.named_type(text, line)
            )
            if number is not None:
                yield number

    def finish(self) -> Reading:
        file = self._given.file
        if self._obsolete:
            self._findings.add(
                "VOC116", file, n=self._obsolete, what="classes", file=file, why="they are obsolete"
            )
        return Reading(self._about(), terms=tuple(self._terms))

    def _about(self) -> Source:
        if self._is_radlex:
            return self._given.about("RADLEX", "RadLex", licence=_RADLEX, attribution=_RSNA)
        return self._given.about(self._given.path.name.partition(".")[0])


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in cell.split("|") if part.strip()]


def _code(address: str) -> str:
    return address.replace("#", "/").rstrip("/").rpartition("/")[2]
