"""From label files to records, by joins on whole columns.

Invariant: the records of a split are the union of the ids in its label files, in the order of captions,
concepts and manual concepts; where a split has no labels, attribution files and images name its records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.columns import CAPTION, CAPTIONS, CUIS, captions_of_texts, make_table
from radcap.datasets.dataset import SPLITS
from radcap.datasets.layouts.release.labels import texts
from radcap.datasets.layouts.release.names import LABELS, Kind
from radcap.datasets.lists import split_cells
from radcap.datasets.records import CaptionSource
from radcap.formats import named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.datasets.findings import Findings
    from radcap.datasets.layouts.release.attribution_file import Attribution
    from radcap.datasets.layouts.release.labels import Labels

__all__ = ["assemble", "in_order"]

_Parts = dict[str, Any]
_SAID_ELSEWHERE = ("group", "source", "licence", "attribution", "modality")


def in_order(splits: Sequence[str]) -> tuple[str, ...]:
    """Train, valid and test first, then the others as they come."""
    return (*(one for one in SPLITS if one in splits), *(one for one in splits if one not in SPLITS))


def assemble(
    labels: Sequence[Labels],
    rights: Sequence[Attribution],
    unlabelled: Mapping[str, Sequence[str]],
    findings: Findings,
) -> pa.Table:
    """The table of a release whose labels all know their split; `unlabelled` are ids of images by split."""
    splits = tuple(dict.fromkeys(one.split for one in labels))
    parts = {split: _joined([one for one in labels if one.split == split], findings) for split in splits}
    for split, ids in _only_attributed(rights, splits).items():
        parts[split] = {"image_id": ids}
    for split, ids in unlabelled.items():
        parts.setdefault(split, {"image_id": pa.array(ids, pa.string())})
    ordered = [(split, parts[split]) for split in in_order(tuple(parts))]
    columns = _stacked(ordered)
    columns |= _attributed(columns, rights, findings)
    return make_table(columns, len(columns["image_id"]))


def _only_attributed(rights: Sequence[Attribution], labelled: Sequence[str]) -> dict[str, Any]:
    """Ids of splits that have no label file, where an attribution file names both."""
    found: dict[str, Any] = {}
    for one in rights:
        if one.splits is not None:
            for split in pc.unique(one.splits).to_pylist():
                if split not in labelled and split not in found:
                    found[split] = one.ids.filter(pc.equal(one.splits, split))
    return found


def _joined(labels: Sequence[Labels], findings: Findings) -> _Parts:
    """The records of one split with the cells of each kind."""
    by_kind = [(kind, one) for kind in LABELS for one in labels if one.kind is kind]
    if len({kind for kind, _ in by_kind}) == len(by_kind) and _same_ids(labels):
        return {"image_id": labels[0].ids, **{one.kind: one.cells for one in labels}}
    coded = pa.chunked_array([one.ids for _, one in by_kind]).combine_chunks().dictionary_encode()
    places = coded.indices.to_numpy()
    parts: _Parts = {"image_id": coded.dictionary}
    starts = np.cumsum([0, *(len(one.ids) for _, one in by_kind)])
    for kind in LABELS:
        files = [
            (one, places[starts[i] : starts[i + 1]]) for i, (of, one) in enumerate(by_kind) if of is kind
        ]
        if files:
            parts[kind] = _cells(files, len(coded.dictionary), findings)
    return parts


def _same_ids(labels: Sequence[Labels]) -> bool:
    """Whether all files list the same images in the same order, as releases do."""
    return all(one.ids.equals(labels[0].ids) for one in labels[1:])


def _cells(files: Sequence[tuple[Labels, Any]], rows: int, findings: Findings) -> Any:
    """The cell of each record, blank where no file of that kind has one."""
    source = np.full(rows, -1, np.int64)
    start = 0
    for labels, places in files:
        taken = source[places] >= 0
        for row in np.flatnonzero(taken):
            first = next(one.file for one, _ in files)
            findings.add("DAT201", labels.file, id=named(labels.ids[int(row)].as_py()), first=first)
        fresh = np.flatnonzero(~taken)
        source[places[fresh]] = start + fresh
        start += len(places)
    cells = pa.chunked_array([labels.cells for labels, _ in files]).combine_chunks()
    if len(cells) == rows and np.array_equal(source, np.arange(rows)):
        return cells
    return cells.take(pa.array(source, mask=source < 0)).fill_null("")


def _stacked(parts: Sequence[tuple[str, _Parts]]) -> dict[str, Any]:
    """The splits below one another, cells made captions and concepts."""
    counts = [len(one["image_id"]) for _, one in parts]
    ids = _concat([one["image_id"] for _, one in parts])
    splits = pa.array([split for split, _ in parts], pa.string()).take(
        pa.array(np.repeat(np.arange(len(parts)), counts))
    )
    columns: dict[str, Any] = {"image_id": ids, "split": splits}
    columns["image"] = pc.binary_join_element_wise(splits, ids, "/")
    cells = {kind: _of_kind(kind, parts, counts) for kind in LABELS}
    columns["captions"] = _captions(cells[Kind.CAPTIONS])
    columns["cui"] = _concepts(cells[Kind.CONCEPTS])
    columns["cui_manual"] = _concepts(cells[Kind.MANUAL])
    nothing = _blank(len(ids))
    return columns | dict.fromkeys(_SAID_ELSEWHERE, nothing)


def _concepts(cells: Any) -> Any:
    """The concepts of each cell; cells without blanks and empty parts, as most are, need one pass."""
    parts = pc.split_pattern(cells, ";")
    flat = parts.flatten()
    tidy = texts(flat) is flat and not pc.any(pc.equal(flat, "")).as_py()
    return parts if tidy else split_cells(cells)


def _blank(rows: int) -> Any:
    return pa.array([""], pa.string()).take(pa.array(np.zeros(rows, np.int64)))


def _captions(texts: Any) -> Any:
    """One caption for each text; where none is empty the texts need no copy."""
    if pc.any(pc.equal(texts, "")).as_py():
        return captions_of_texts(texts)
    zeros = pa.array(np.zeros(len(texts), np.int64))
    beside = (pa.array([text], pa.string()).take(zeros) for text in (CaptionSource.ORIGINAL.value, ""))
    fields = [CAPTION.field(i) for i in range(CAPTION.num_fields)]
    values = pa.StructArray.from_arrays([texts, *beside], fields=fields)
    return pa.ListArray.from_arrays(pa.array(np.arange(len(texts) + 1, dtype=np.int32)), values)


def _of_kind(kind: Kind, parts: Sequence[tuple[str, _Parts]], counts: Sequence[int]) -> Any:
    columns = zip(parts, counts, strict=True)
    return _concat([one[kind] if kind in one else _blank(n) for (_, one), n in columns])


def _concat(arrays: Sequence[Any]) -> Any:
    return pa.concat_arrays(arrays) if arrays else pa.array([], pa.string())


def _attributed(
    columns: Mapping[str, Any], rights: Sequence[Attribution], findings: Findings
) -> dict[str, Any]:
    """What attribution files add: columns, and captions and concepts that no label file could hold."""
    added: dict[str, Any] = {}
    exact = {name: columns[name] for name in ("captions", "cui", "cui_manual")}
    for one in rights:
        rows = _rows_of(columns, one)
        unused = len(one.ids) - pc.count_distinct(rows, mode="only_valid").as_py()
        if unused:
            findings.add("DAT124", one.file, file=one.file, n=unused)
        for name, column in one.columns.items():
            if name != "split":
                values = column.take(rows).fill_null("")
                before = added.get(name)
                added[name] = values if before is None else _first_said(before, values)
        for name, lists in one.exact.items():
            exact[name] = _overridden(exact[name], lists, rows.to_numpy(zero_copy_only=False))
    return {**exact, **added}


def _first_said(first: Any, second: Any) -> Any:
    return pc.if_else(pc.equal(first, ""), second, first)


def _rows_of(columns: Mapping[str, Any], one: Attribution) -> Any:
    """The row of each record in an attribution file, null where it has none."""
    ids = columns["image_id"]
    if ids.equals(one.ids) and (one.splits is None or columns["split"].equals(one.splits)):
        return pa.array(np.arange(len(ids)))
    if one.splits is None or pc.count_distinct(one.ids).as_py() == len(one.ids):
        return pc.index_in(ids, one.ids)
    theirs = pc.binary_join_element_wise(one.splits, one.ids, "/")
    return pc.coalesce(pc.index_in(columns["image"], theirs), pc.index_in(ids, one.ids))


def _overridden(column: Any, lists: Sequence[Any], rows: Any) -> Any:
    """The column with the lists that are there in the place of its own."""
    there = np.array([one is not None for one in lists] or [False])
    row = np.where(np.isnan(rows.astype(np.float64)), -1, rows).astype(np.int64)
    records = np.flatnonzero((row >= 0) & there[row])
    if not len(records):
        return column
    kind = CAPTIONS if column.type == CAPTIONS else CUIS
    values = pa.array([lists[place] for place in row[records]], kind)
    order = np.arange(len(column))
    order[records] = len(column) + np.arange(len(records))
    return pa.concat_arrays([column.cast(kind), values]).take(pa.array(order))
