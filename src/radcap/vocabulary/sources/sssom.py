"""Mappings in the SSSOM format: a label here, a CUI there, and how sure the two are the same.

Invariant: only rows that say exactMatch, and are not negated, give names; the others are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from radcap.formats import shown
from radcap.vocabulary.sources.checking import Checks
from radcap.vocabulary.sources.delimited import find_separator, read_rows
from radcap.vocabulary.sources.inputs import Reading
from radcap.vocabulary.sources.terms import Term
from radcap.vocabulary.sources.text_lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Input, Told
    from radcap.vocabulary.sources.text_lines import Line
    from radcap.vocabulary.stamps import Source

__all__ = ["read_sssom"]

_NEEDED = ("subject_id", "subject_label", "predicate_id", "object_id")
_UMLS = re.compile(r"(?:UMLS|UMLS_CUI):(.*)|https?://\S*/umls/id/(.*)", re.IGNORECASE)
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}")
_TOLD = 50_000  # rows between two words of progress


def read_sssom(given: Input, findings: Findings, told: Told) -> Reading:
    """The labels of subjects that are the same as a concept of UMLS."""
    lines = read_lines([given.path], given.file, findings)
    said, first = _metadata(lines)
    about = _about(said, given)
    if first is None:
        return Reading(about)
    rows = read_rows(chain((first,), lines), find_separator(first[1]), given.file, findings)
    line, header = next(rows, (first[0], list[str]()))
    missing = [name for name in _NEEDED if name not in header]
    for name in missing:
        found = ", ".join(map(shown, header))
        findings.add("VOC105", given.file, line, file=given.file, found=found, column=name)
    if missing:
        return Reading(about)
    mappings = _Mappings(header, given, findings)
    for number, (place, cells) in enumerate(rows):
        mappings.take(place, cells)
        if number % _TOLD == 0:
            told(given.file, number)
    return Reading(about, terms=mappings.finish())


def _metadata(lines: Iterator[Line]) -> tuple[dict[str, str], Line | None]:
    """What the comments above the table say, and the first line below them."""
    said: dict[str, str] = {}
    for number, text in lines:
        if not text.startswith("#"):
            return said, (number, text)
        key, _, value = text.lstrip("#").partition(":")
        said.setdefault(key.strip(), value.strip().strip("\"'"))
    return said, None


def _about(said: dict[str, str], given: Input) -> Source:
    version = said.get("mapping_set_version", "")
    dated = _VERSION.search(version)
    name = said.get("subject_source", "").rpartition(":")[2] or given.path.name.partition(".")[0]
    return given.about(
        name.upper(),
        said.get("mapping_set_title", ""),
        dated[0] if dated else version,
        said.get("license", ""),
        said.get("mapping_set_id", ""),
    )


class _Mappings:
    """Rows of a mapping, those of one subject as one term."""

    def __init__(self, header: Sequence[str], given: Input, findings: Findings) -> None:
        self._places = {name: place for place, name in enumerate(header)}
        self._width = len(header)
        self._given = given
        self._findings = findings
        self._checks = Checks(given.file, findings)
        self._terms: dict[str, tuple[str, list[int], int]] = {}
        self._left: Counter[str] = Counter()

    def take(self, line: int, cells: list[str]) -> None:
        if len(cells) != self._width:
            self._findings.add("VOC201", self._given.file, line, n=len(cells), wanted=self._width)
            return
        subject, label, predicate, other = (cells[self._places[name]].strip() for name in _NEEDED)
        kind = re.split(r"[:/#]", predicate)[-1]
        match = _UMLS.fullmatch(other)
        if kind != "exactMatch" or self._is_negated(cells):
            self._left[f"they say {kind if kind != 'exactMatch' else 'not exactMatch'}"] += 1
        elif match is None:
            self._left["they lead to no concept of UMLS"] += 1
        else:
            number = self._checks.cui(match[1] or match[2] or "", line)
            if number is not None:
                self._terms.setdefault(subject, (label, [], line))[1].append(number)

    def _is_negated(self, cells: list[str]) -> bool:
        place = self._places.get("predicate_modifier")
        return place is not None and cells[place].strip().casefold() == "not"

    def finish(self) -> tuple[Term, ...]:
        for why, n in sorted(self._left.items()):
            self._findings.add("VOC116", self._given.file, n=n, what="rows", file=self._given.file, why=why)
        return tuple(
            Term(code, (label,), tuple(dict.fromkeys(cuis)), line=line)
            for code, (label, cuis, line) in self._terms.items()
        )
