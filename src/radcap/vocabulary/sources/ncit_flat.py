"""The NCI Thesaurus as its FLAT file: tabs, no header, no quotes, no CUI.

Columns: code, address, parents, synonyms, definition, display name, status, semantic type, subsets; the last
came later. Parents, synonyms and types are parted by '|', and the first synonym is the preferred name.
Invariant: retired concepts are left out and counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.vocabulary.sources.checking import Checks
from radcap.vocabulary.sources.delimited import read_rows
from radcap.vocabulary.sources.inputs import Reading
from radcap.vocabulary.sources.ncit import LICENCE, NAME, TITLE
from radcap.vocabulary.sources.terms import Term
from radcap.vocabulary.sources.text_lines import read_lines

if TYPE_CHECKING:
    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Input, Told

__all__ = ["read_ncit_flat"]

_WIDTHS = (8, 9)
_PARENTS, _SYNONYMS, _DISPLAY, _STATUS, _TYPES = 2, 3, 5, 6, 7
_RETIRED = ("Obsolete_Concept", "Retired_Concept")
_TOLD = 10_000  # terms between two words of progress


def read_ncit_flat(given: Input, findings: Findings, told: Told) -> Reading:
    """The concepts of the thesaurus; names are all that tells which CUI they are."""
    checks = Checks(given.file, findings)
    terms: list[Term] = []
    retired = 0
    lines = read_lines([given.path], given.file, findings)
    for line, cells in read_rows(lines, "\t", given.file, findings, quoted=False):
        if len(cells) not in _WIDTHS:
            findings.add("VOC201", given.file, line, n=len(cells), wanted=_WIDTHS[-1])
        elif any(status in cells[_STATUS] for status in _RETIRED):
            retired += 1
        else:
            terms.append(_term(line, cells, checks))
            if len(terms) % _TOLD == 0:
                told(given.file, len(terms))
    if retired:
        findings.add(
            "VOC116", given.file, n=retired, what="concepts", file=given.file, why="they are retired"
        )
    return Reading(given.about(NAME, TITLE, licence=LICENCE), terms=tuple(terms))


def _term(line: int, cells: list[str], checks: Checks) -> Term:
    names = [*_parts(cells[_SYNONYMS]), *_parts(cells[_DISPLAY])]
    numbers = [checks.named_type(one, line) for one in _parts(cells[_TYPES])]
    return Term(
        cells[0].strip(),
        tuple(dict.fromkeys(names)),
        types=tuple(one for one in numbers if one is not None),
        parents=tuple(_parts(cells[_PARENTS])),
        line=line,
    )


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in cell.split("|") if part.strip()]
