"""What a text table looks like: its separator, its header, whether it quotes.

Invariant: the first line decides, as people see it in an editor.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from radcap.formats.cells import HEADER_NAMES
from radcap.formats.lines import UTF16_MARKS

__all__ = ["CsvForm", "form_of"]

_SEPARATORS = ("\t", ",", "|", ";")  # Excel writes the last where a comma is in numbers
_BREAK = re.compile(r"\r\n|\r|\n")
_FIRST = 64 * 1024  # bytes that hold the first line
_NAMES = HEADER_NAMES | {
    *("cui", "cuis", "concept", "concepts", "caption", "captions", "pmcid", "attribution"),
    *("licence", "license", "group", "split", "canonical name", "file_name"),
}


@dataclass(frozen=True, slots=True)
class CsvForm:
    """The form of one file."""

    separator: str
    header: tuple[str, ...]
    first: str  # the first line below the header

    @property
    def quoted(self) -> bool:
        """Files without header are those of 2017 to 2021; only the ones with commas quote."""
        return self.separator in ",;" or bool(self.header)


def form_of(data: bytes) -> CsvForm:
    """The form, told by the start of a file."""
    start = data[:_FIRST]
    text = start.decode("utf-16" if start.startswith(UTF16_MARKS) else "utf-8-sig", "replace")
    first, below, *_ = *_BREAK.split(text, 2), ""
    for separator in _SEPARATORS:
        cells = [cell.strip() for cell in next(csv.reader([first], delimiter=separator), [""])]
        if len(cells) > 1 and not _NAMES.isdisjoint(map(str.casefold, cells)):
            return CsvForm(separator, tuple(cells), below)
    there = [one for one in _SEPARATORS if one in first]
    return CsvForm(min(there, key=first.index) if there else ",", (), first)  # no id holds a separator
