"""The joined records of a large release, kept in the cache so that opening it again costs next to nothing.

Invariant: a kept table is used only while its label files have the sizes and times they had. It is memory
mapped, and kept only where joining took long, nothing was found, and no file is so young that it could be
written again within the same tick of the clock.
"""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import ipc

from radcap.core import VERSION, cache_root
from radcap.datasets.columns import COLUMNS, NAMES
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.datasets.layouts.release.files import ReleaseFile

__all__ = ["keep_table", "kept_table"]

_FROM = 10_000  # records: fewer are joined in some ten milliseconds
_SETTLED_S = 5  # some file systems count the time in steps of two seconds


def kept_table(folder: Path, files: Sequence[ReleaseFile]) -> pa.Table | None:
    """The records of these label files, if they were kept and no file has changed since."""
    path = _path(folder, files)
    try:
        with pa.memory_map(str(path)) as source:
            table: pa.Table = ipc.open_file(source).read_all()
    except (OSError, pa.ArrowInvalid):  # never kept, or broken: it is joined and kept again
        return None
    return table if _is_ours(table) else None


def keep_table(table: pa.Table, folder: Path, files: Sequence[ReleaseFile]) -> None:
    """Keep the records. A cache that cannot be written is no reason to fail: they are joined again then."""
    newest = max((one.path.stat().st_mtime for one in files), default=0.0)
    if len(table) < _FROM or time.time() - newest < _SETTLED_S:
        return
    try:
        with (
            replacing(_path(folder, files)) as temporary,
            pa.OSFile(str(temporary), "wb") as sink,
            ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table.combine_chunks())
    except OSError:
        return


def _path(folder: Path, files: Sequence[ReleaseFile]) -> Path:
    states = [(one.name, (seen := one.path.stat()).st_size, seen.st_mtime_ns, seen.st_ino) for one in files]
    said = json.dumps([VERSION, str(folder.resolve()), states])
    return cache_root() / "opened" / f"{hashlib.sha256(said.encode()).hexdigest()[:32]}.arrow"


def _is_ours(table: pa.Table) -> bool:
    names, schema = table.column_names[: len(NAMES)], table.schema
    return tuple(names) == NAMES and all(schema.field(name).type == kind for name, kind in COLUMNS.items())
