"""Mentions as a table, a row for each, and how it is written.

Invariant: a cell of the text file reads back as it was; both forms hold the same rows in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from radcap.core import Cui
    from radcap.vocabulary.linking.mentions import Mention

__all__ = ["MENTIONS", "csv_text", "drop", "mention_table", "open_parquet"]

MENTIONS = pa.schema(
    {
        "ID": pa.string(),
        "start": pa.uint32(),
        "end": pa.uint32(),
        "text": pa.string(),
        "CUI": pa.string(),
        "name": pa.string(),
        "types": pa.list_(pa.string()),
        "how": pa.string(),
        "negated": pa.bool_(),
        "uncertain": pa.bool_(),
        "kept": pa.bool_(),
        "why": pa.string(),
    }
)
_SPECIAL = '[",\r\n]'


def mention_table(ids: Sequence[str], mentions: Sequence[Sequence[Mention]]) -> Any:
    """The mentions of several texts, with the ids of their images."""
    rows = [
        (
            *(image_id, one.start, one.end, one.text, one.cui, one.name, one.types, one.how.value),
            *(one.negated, one.uncertain, one.kept, one.why),
        )
        for image_id, found in zip(ids, mentions, strict=True)
        for one in found
    ]
    columns = zip(*rows, strict=True) if rows else [()] * len(MENTIONS)
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, MENTIONS, strict=True)]
    return pa.table(arrays, MENTIONS)


def drop(table: Any, refused: Mapping[Cui, str]) -> Any:
    """The table with the mentions of some concepts dropped that were kept, for the reason given."""
    if not refused or not len(table):
        return table
    places = pc.index_in(table.column("CUI"), pa.array(refused, pa.string()))
    hit = pc.and_(pc.is_valid(places), table.column("kept"))
    why = pc.if_else(hit, pc.take(pa.array(refused.values(), pa.string()), places), table.column("why"))
    kept = pc.and_not(table.column("kept"), hit)
    for name, column in (("kept", kept), ("why", why)):
        table = table.set_column(MENTIONS.get_field_index(name), MENTIONS.field(name), column)
    return table


def csv_text(table: Any) -> str:
    """The rows as lines of a text file, each with its end; types are parted by ';'."""
    columns = [_cells(table.column(name)) for name in MENTIONS.names]
    lines = pc.binary_join_element_wise(*columns, ",").to_pylist()
    return "".join(f"{line}\n" for line in lines)


def _cells(column: Any) -> Any:
    """The column as cells: text is quoted where it has to be."""
    if column.type == MENTIONS.field("types").type:
        column = pc.binary_join(column, ";")
    if not pa.types.is_string(column.type):
        return column.cast(pa.string())
    doubled = pc.replace_substring(column, '"', '""')
    quoted = pc.binary_join_element_wise('"', doubled, '"', "")
    return pc.if_else(pc.match_substring_regex(column, _SPECIAL), quoted, column)


def open_parquet(path: Path) -> Any:
    """A writer of mention tables."""
    return pq.ParquetWriter(path, MENTIONS, compression="zstd")
