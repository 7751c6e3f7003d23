"""What is said about rows of a release file that cannot be used.

Invariant: every such row is counted; of each kind so many are looked at as a list of findings keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from radcap.formats import named, shown
from radcap.vocabulary.concepts import cui_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from radcap.vocabulary.findings import Findings

__all__ = ["tell_each", "tell_faults"]

_LOOKED_AT = 1000
_COLUMNS = {16: ("SRL", "0 to 9"), 17: ("SUPPRESS", "N, O, E, Y")}  # of MRCONSO.RRF


def tell_each(
    code: str,
    file: str,
    findings: Findings,
    lines: Sequence[int],
    fields: Callable[[int], Mapping[str, object]],
) -> None:
    """A finding for each of these lines; fields are asked for by place, only while findings are kept."""
    for place, line in enumerate(lines[:_LOOKED_AT]):
        findings.add(code, file, line, **fields(place))
    if len(lines) > _LOOKED_AT:
        findings.extend((), {code: len(lines) - _LOOKED_AT})


def tell_faults(rows: Any, width: int, file: str, findings: Findings) -> None:
    """Findings for rows with the columns line, fault and fields."""
    for kind in pc.unique(rows.column("fault")).to_pylist():
        code, _, field = kind.partition(" ")
        same = rows.filter(pc.equal(rows.column("fault"), kind))
        for row in same.slice(0, _LOOKED_AT).select(["line", "fields"]).to_pylist():
            _tell(code, int(field), row["line"], row["fields"], width, file, findings)
        if len(same) > _LOOKED_AT:
            findings.extend((), {code: len(same) - _LOOKED_AT})


def _tell(
    code: str, field: int, line: int, fields: Sequence[str], width: int, file: str, findings: Findings
) -> None:
    text = fields[field - 1].rstrip("\r\n") if field else ""
    match code:
        case "VOC201" | "VOC214" if code == "VOC201" or len(fields) == width:  # a field less, not a lost pipe
            _tell_width(line, fields, width, file, findings)
        case "VOC203" if cui_number(text.upper()) is not None:
            findings.add("VOC204", file, line, text=text, upper=text.upper())
        case "VOC208":
            findings.add(code, file, line, text=shown(text), cui=named(fields[0]))
        case "VOC214":
            column, known = _COLUMNS[field]
            findings.add(code, file, line, column=column, text=shown(text), known=known)
        case "VOC217":
            findings.add(code, file, line, text=shown(text), what="rank")
        case _:
            findings.add(code, file, line, text=shown(text))


def _tell_width(line: int, fields: Sequence[str], width: int, file: str, findings: Findings) -> None:
    """Blank lines hold nothing that could be lost."""
    closed = not fields[-1].strip()
    if len(fields) > 1 or not closed:
        findings.add("VOC201", file, line, n=len(fields) - closed, wanted=width)
