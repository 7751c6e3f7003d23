"""The label files of a release: an id and a cell in every row.

Invariant: an id stands once in each file of a kind; a row without id or with one that was there before is a
finding with its line, and the first counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.layouts.release.names import Kind
from radcap.formats import named
from radcap.formats.cells import HEADER_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from radcap.datasets.findings import Findings
    from radcap.datasets.layouts.release.files import ReleaseFile
    from radcap.datasets.text_tables.files import CsvFile, Lines

__all__ = ["Labels", "id_place", "labels_of", "once_each", "texts"]

_CELLS: Mapping[Kind, tuple[str, ...]] = {
    Kind.CAPTIONS: ("caption", "captions", "text"),
    Kind.CONCEPTS: ("cuis", "cui", "concepts", "concept", "labels"),
    Kind.MANUAL: ("cuis", "cui", "concepts", "concept", "labels"),
}
_ASCII = 0x7F
_CONCEPT_NAMES = frozenset({"cui", "cuis", "concept", "concepts"})


@dataclass(frozen=True, slots=True)
class Labels:
    """Rows of one file, or those of one split in it."""

    kind: Kind
    split: str  # nothing where the name of the file does not tell
    ids: Any
    cells: Any
    file: str = ""

    def where(self, keep: Any) -> Labels:
        return replace(self, ids=self.ids.filter(keep), cells=self.cells.filter(keep))

    def of(self, split: str) -> Labels:
        return replace(self, split=split)


def labels_of(found: ReleaseFile, table: CsvFile, findings: Findings) -> Labels | None:
    """The rows of a label file; nothing where its columns say that it is none."""
    if table.names and table.names[0] in _CONCEPT_NAMES and HEADER_NAMES.isdisjoint(table.names):
        findings.add("DAT107", found.name, file=found.name)  # a list of concepts
        return None
    if not len(table):
        if table.names:
            findings.add("DAT120", found.name, 1, file=found.name)
        return None
    place = id_place(table)
    ids = texts(table.columns[place])
    keep = _without_headers(table, place, ids, once_each(ids, table.lines, found.name, findings), findings)
    cells = _cells(table, place, found, findings)
    labels = Labels(found.kind, found.split, ids, cells, found.name)
    return labels if keep is None else labels.where(pa.array(keep))


def _without_headers(
    table: CsvFile, place: int, ids: Any, keep: NDArray[np.bool_] | None, findings: Findings
) -> NDArray[np.bool_] | None:
    """Less the rows in which the header stands again, as it does where files were glued together."""
    if not table.names:
        return keep
    name = table.names[place]
    again = pc.is_in(ids, pa.array([name, name.upper(), name.capitalize()])).to_numpy(zero_copy_only=False)
    if not again.any():
        return keep
    for row in np.flatnonzero(again).tolist():
        findings.add("DAT125", table.name, int(table.lines[row]), 1)
    return ~again if keep is None else keep & ~again


def id_place(table: CsvFile) -> int:
    """The column of the ids: the one that is called so, else the first."""
    return next((i for i, name in enumerate(table.names) if name in HEADER_NAMES), 0)


def texts(column: Any) -> Any:
    """A column without blanks around its cells; most have none, and looking is cheaper than cutting."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int32, len(column) + 1, column.offset * 4)
    signs = np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)
    filled = ends[1:] > ends[:-1]
    edges = signs[np.concatenate((ends[:-1][filled], ends[1:][filled] - 1))]
    plain = (edges > ord(" ")) & (edges < _ASCII)
    return column if plain.all() else pc.utf8_trim_whitespace(column)


def _cells(table: CsvFile, ids: int, found: ReleaseFile, findings: Findings) -> Any:
    """The column of the labels: the one that is called so, else the only other one."""
    others = [i for i in range(len(table.columns)) if i != ids]
    place = table.place(*_CELLS[found.kind])
    if place in others:
        return table.columns[place]
    if len(others) == 1 or (others and not table.names):
        return table.columns[others[0]]
    if others:
        wanted = _CELLS[found.kind][0]
        findings.add("DAT106", found.name, 1, file=found.name, found=", ".join(table.names), column=wanted)
    return pa.array([""] * len(table), pa.string())


def once_each(
    ids: Any, lines: Lines, file: str, findings: Findings, keys: Any = None
) -> NDArray[np.bool_] | None:
    """Which rows to keep; nothing means all. `keys` are what must differ, where it is more than the id."""
    keys = ids if keys is None else keys
    blank = pc.any(pc.equal(ids, "")).as_py()
    if not blank and (_ascending(keys) or pc.count_distinct(keys).as_py() == len(ids)):
        return None
    keep = np.ones(len(ids), np.bool_)
    first: dict[str, int] = {}
    for row, (image_id, key) in enumerate(zip(ids.to_pylist(), keys.to_pylist(), strict=True)):
        if not image_id:
            findings.add("DAT210", file, int(lines[row]), 1)
        elif key in first:
            before = f"line {int(lines[first[key]])}"
            findings.add("DAT201", file, int(lines[row]), 1, id=named(image_id), first=before)
        else:
            first[key] = row
            continue
        keep[row] = False
    return keep


def _ascending(keys: Any) -> bool:
    """Whether they stand in order, as in most releases: then none can be there twice."""
    return bool(pc.all(pc.less(keys[:-1], keys[1:])).as_py())
