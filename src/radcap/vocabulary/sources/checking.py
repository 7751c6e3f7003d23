"""What is looked at in every CUI, type and name that a person's file holds.

Invariant: nothing is corrected in silence; what is left out is a finding with its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.formats import named, shown
from radcap.vocabulary.concepts import cui_number, cui_text, type_number
from radcap.vocabulary.sources.type_names import known_types, type_of_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.vocabulary.findings import Findings

__all__ = ["Checks"]

_REPLACED = "\ufffd"


class Checks:
    """Checks of one file."""

    def __init__(self, file: str, findings: Findings) -> None:
        self._file = file
        self._findings = findings
        self._seen: set[int] = set()  # hashes of concept and name
        self._unknown: set[str] = set()  # names of types, each told once

    def cui(self, text: str, line: int) -> int | None:
        """The number of a CUI."""
        number = cui_number(text)
        if number is None:
            upper = text.upper()
            if cui_number(upper) is None:
                self._findings.add("VOC203", self._file, line, text=shown(text))
            else:
                self._findings.add("VOC204", self._file, line, text=text, upper=upper)
        return number

    def type(self, text: str, owner: str, line: int) -> int | None:
        """The number of a semantic type, given as TUI."""
        number = type_number(text)
        if number is None:
            self._findings.add("VOC208", self._file, line, text=shown(text), cui=named(owner))
        elif number not in known_types():
            self._findings.add("VOC209", self._file, line, text=text, cui=named(owner))
        return number

    def named_type(self, name: str, line: int) -> int | None:
        """The number of a semantic type, given by name."""
        number = type_of_name(name)
        if number is None and name not in self._unknown:
            self._unknown.add(name)
            self._findings.add("VOC215", self._file, line, text=shown(name))
        return number

    def names(self, names: Iterable[str], owner: int, line: int) -> list[str]:
        """Names without blanks around them; empty ones are left out."""
        kept: list[str] = []
        cui = cui_text(owner)
        for one in names:
            name = " ".join(one.split()) if "\n" in one or "\r" in one else one.strip()
            if not name:
                self._findings.add("VOC205", self._file, line, cui=cui)
                continue
            self._look_at(name, owner, cui, line)
            kept.append(name)
        return kept

    def _look_at(self, name: str, owner: int, cui: str, line: int) -> None:
        if len(name) == 1:
            self._findings.add("VOC206", self._file, line, name=shown(name), cui=cui)
        if _REPLACED in name:
            self._findings.add("VOC212", self._file, line, name=shown(name), cui=cui)
        key = hash((owner, name))
        if key in self._seen:
            self._findings.add("VOC207", self._file, line, name=shown(name), cui=cui)
        self._seen.add(key)
