"""The columns every dataset has in memory, whatever layout it came from.

Invariant: a table starts with `COLUMNS`, in this order and without nulls; what else a layout knows follows as
text. `image` is the key by which the image store finds the bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.lists import single, where
from radcap.datasets.records import CaptionSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "CAPTION",
    "CAPTIONS",
    "COLUMNS",
    "CUIS",
    "NAMES",
    "captions_of_texts",
    "empty_table",
    "make_table",
]

CAPTION: Any = pa.struct(
    [pa.field("text", pa.string()), pa.field("source", pa.string()), pa.field("language", pa.string())]
)
CAPTIONS: Any = pa.list_(CAPTION)
CUIS: Any = pa.list_(pa.string())
COLUMNS: Mapping[str, Any] = {
    "image_id": pa.string(),
    "split": pa.string(),
    "image": pa.string(),
    "captions": CAPTIONS,
    "cui": CUIS,
    "cui_manual": CUIS,
    "group": pa.string(),
    "source": pa.string(),
    "licence": pa.string(),
    "attribution": pa.string(),
    "modality": pa.string(),
}
NAMES = tuple(COLUMNS)


def make_table(columns: Mapping[str, Any], rows: int) -> pa.Table:
    """A table of the invariant above from what a layout knows; what it does not know is empty."""
    arrays: dict[str, Any] = {}
    for name, kind in COLUMNS.items():
        arrays[name] = _filled(columns[name], kind) if name in columns else _empty(kind, rows)
    for name, column in columns.items():
        if name not in COLUMNS:
            arrays[name] = _filled(column, pa.string())
    return pa.Table.from_arrays(list(arrays.values()), names=list(arrays))


def empty_table() -> pa.Table:
    """A table of no rows."""
    return make_table({}, 0)


def _filled(column: Any, kind: Any) -> Any:
    """A column of that type as one array without nulls."""
    array = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column, kind)
    array = array.cast(kind)
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if kind == pa.string():
        return array.fill_null("")
    array = pc.coalesce(array, pa.scalar([], kind)) if array.null_count else array
    return _filled_lists(array)


def _filled_lists(array: Any) -> Any:
    """Lists less the values that are null; a caption that lacks a part has an empty text there."""
    there = array.flatten().is_valid().to_numpy(zero_copy_only=False)
    array = array if there.all() else where(array, there)
    values = array.flatten()
    if values.type != CAPTION or not any(part.null_count for part in values.flatten()):
        return array
    parts = [part.fill_null("") for part in values.flatten()]
    return pa.ListArray.from_arrays(single(array).offsets, _captions(parts))


def _empty(kind: Any, rows: int) -> Any:
    if kind == pa.string():
        return pa.array([""], kind).take(pa.array([0] * rows, pa.int64()))
    return pa.ListArray.from_arrays(pa.array([0] * (rows + 1), pa.int32()), pa.array([], kind.value_type))


def captions_of_texts(
    texts: Any,
    sources: Sequence[str | None] | None = None,
    languages: Sequence[str | None] | None = None,
) -> Any:
    """Captions from a column of texts, one each; an empty text is no caption."""
    array = _filled(texts, pa.string())
    there = pc.not_equal(array, "")
    n = len(array)
    offsets = np.zeros(n + 1, np.int32)
    np.cumsum(there.to_numpy(zero_copy_only=False), out=offsets[1:])
    kept = array.filter(there)

    def beside(values: Sequence[str | None] | None, default: str) -> Any:
        if values is None:
            return pa.array([default], pa.string()).take(pa.array(np.zeros(len(kept), np.int64)))
        return _filled(values, pa.string()).filter(there)

    parts = [kept, beside(sources, CaptionSource.ORIGINAL.value), beside(languages, "")]
    return pa.ListArray.from_arrays(pa.array(offsets), _captions(parts))


def _captions(parts: Sequence[Any]) -> Any:
    return pa.StructArray.from_arrays(parts, fields=[CAPTION.field(i) for i in range(CAPTION.num_fields)])
