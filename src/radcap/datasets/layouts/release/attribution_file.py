"""Where images come from: `license_information.csv` of ROCOv2, and `attribution.csv` with all the rest.

Invariant: a column that stands in no label file travels in `attribution.csv`, and captions or concepts that a
label file cannot hold travel there as JSON, so that nothing is lost.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.layouts.release.labels import id_place, once_each, texts
from radcap.datasets.records import CaptionSource
from radcap.formats import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from radcap.datasets.findings import Findings
    from radcap.datasets.layouts.release.files import ReleaseFile
    from radcap.datasets.text_tables.files import CsvFile, Lines

__all__ = ["ATTRIBUTION_FILE", "EXACT", "GROUP_NAMES", "LICENCE_FILE", "Attribution", "attribution_of"]

ATTRIBUTION_FILE, LICENCE_FILE = "attribution.csv", "license_information.csv"
EXACT = ("captions", "cui", "cui_manual")  # columns of JSON
GROUP_NAMES = ("group", "pmcid", "pmc_id", "pmc id")

# Our columns, and what others call them; a further name counts only where the first is absent.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "split": ("split",),
    "modality": ("modality",),
    "source": ("source",),
    "licence": ("licence", "license"),
    "group": GROUP_NAMES,
    "attribution": ("attribution",),
    "captions": ("captions",),
    "cui": ("cui",),
    "cui_manual": ("cui_manual",),
}
# The header of license_information.csv differs between copies: words tell, else the place does.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "group": ("pmc",),
    "attribution": ("attribution", "author", "citation"),
    "link": ("link", "url"),
    "licence": ("licen",),
}
_PLACES = ("group", "attribution", "link")
_SOURCES = frozenset(one.value for one in CaptionSource)


@dataclass(frozen=True, slots=True)
class Attribution:
    """Columns by name, one row for each image. `exact` holds lists read from JSON, nothing where none is."""

    ids: Any
    columns: Mapping[str, Any]
    exact: Mapping[str, list[Any]]
    file: str

    @property
    def splits(self) -> Any | None:
        return self.columns.get("split")


def attribution_of(found: ReleaseFile, table: CsvFile, findings: Findings) -> Attribution | None:
    """The rows of an attribution file."""
    if not len(table):
        return None
    place = id_place(table)
    ids = texts(table.columns[place])
    licences = "licen" in found.path.name.lower()
    named = _named(table, place, licences)
    split = named.get("split")
    keys = ids if split is None else pc.binary_join_element_wise(table.columns[split], ids, "/")
    keep = once_each(ids, table.lines, found.name, findings, keys)
    rows = None if keep is None else pa.array(np.flatnonzero(keep))
    columns = {name: _taken(table.columns[i], rows) for name, i in named.items()}
    lines = table.lines if keep is None else np.asarray(table.lines)[keep]
    exact = {
        name: _lists(columns.pop(name), name, found.name, lines, findings)
        for name in EXACT
        if name in columns
    }
    if licences and "link" in columns and not pc.any(pc.not_equal(columns["link"], "")).as_py():
        del columns["link"]
    return Attribution(_taken(ids, rows), columns, exact, found.name)


def _taken(column: Any, rows: Any | None) -> Any:
    return column if rows is None else column.take(rows)


def _named(table: CsvFile, ids: int, by_words: bool) -> dict[str, int]:
    """Which column is what; every other one keeps its name."""
    if not table.names:
        return {name: i for i, name in enumerate(_PLACES, 1) if i < len(table.columns)}
    found: dict[str, int] = {}
    for ours, theirs in _COLUMNS.items():
        place = next(
            (i for name in theirs for i, one in enumerate(table.names) if one == name and i != ids), -1
        )
        if place >= 0:
            found[ours] = place
    for ours, words in _WORDS.items() if by_words else ():
        place = _by_word(table, words, {ids, *found.values()})
        if ours not in found and place is not None:
            found[ours] = place
    for i, name in enumerate(table.spelled):
        if i != ids and i not in found.values() and name:
            found[name if name not in found else f"{name}_{i}"] = i
    return found


def _by_word(table: CsvFile, words: tuple[str, ...], taken: set[int]) -> int | None:
    free = ((i, name) for i, name in enumerate(table.names) if i not in taken)
    return next((i for i, name in free if any(word in name for word in words)), None)


def _lists(column: Any, name: str, file: str, lines: Lines, findings: Findings) -> list[Any]:
    """The lists of a column of JSON; an empty cell is nothing, which is not an empty list."""
    cells: list[str] = column.to_pylist()
    check = _is_caption if name == "captions" else _is_text
    values: list[Any] = []
    for row, cell in enumerate(cells):
        value = _parsed(cell, check)
        if cell and value is None:
            findings.add(
                *("DAT105", file, int(lines[row]), 1),
                column=name, file=file, found=shown(cell), wanted="A JSON list as radcap writes it",
            )  # fmt: skip
        values.append(value)
    return values


def _parsed(cell: str, check: Callable[[Any], bool]) -> list[Any] | None:
    if not cell:
        return None
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    values = cast("list[Any]", value) if isinstance(value, list) else [None]
    return values if all(map(check, values)) else None


def _is_text(one: Any) -> bool:
    """Whether it is text that Arrow takes: JSON can spell half a character."""
    return isinstance(one, str) and one.encode("utf-8", "replace").decode() == one


def _is_caption(one: Any) -> bool:
    if not isinstance(one, dict):
        return False
    fields = cast("dict[str, Any]", one)
    texts_only = all(_is_text(fields.get(name)) for name in ("text", "source", "language"))
    return texts_only and fields["source"] in _SOURCES
