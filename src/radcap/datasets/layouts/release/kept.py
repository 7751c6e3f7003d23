"""The joined records of a large release, kept in the cache so that opening it again costs next to nothing.

Invariant: a kept table is used only while its label files have the sizes and times they had before they were
read. It is memory mapped, and kept only where joining took long, nothing was found, and no file is so young
that it could be written again within the same tick of the clock.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import ipc

from radcap.core import VERSION, cache_root
from radcap.datasets.columns import COLUMNS, NAMES
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.datasets.layouts.release.files import ReleaseFile

__all__ = ["KeptTable"]

_FROM = 10_000  # records: fewer are joined in some ten milliseconds
_SETTLED_S = 5  # some file systems count the time in steps of two seconds


@dataclass(frozen=True, slots=True)
class KeptTable:
    """The place of the records of some label files, in the state the files have now."""

    path: Path
    newest: float  # when the youngest file was written

    @classmethod
    def of(cls, folder: Path, files: Sequence[ReleaseFile]) -> KeptTable:
        seen = [one.path.stat() for one in files]
        states = [
            (one.name, now.st_size, now.st_mtime_ns, now.st_ino) for one, now in zip(files, seen, strict=True)
        ]
        said = json.dumps([VERSION, str(folder.resolve()), states])
        name = f"{hashlib.sha256(said.encode()).hexdigest()[:32]}.arrow"
        return cls(cache_root() / "opened" / name, max((now.st_mtime for now in seen), default=0.0))

    def read(self) -> pa.Table | None:
        """The records, if they were kept."""
        try:
            with pa.memory_map(str(self.path)) as source:
                table: pa.Table = ipc.open_file(source).read_all()
        except (OSError, pa.ArrowInvalid):  # never kept, or broken: they are joined and kept again
            return None
        return table if _is_ours(table) else None

    def keep_soon(self, table: pa.Table) -> Thread | None:
        """Keep the records while their reader goes on with them, where that is worth it."""
        if len(table) < _FROM or time.time() - self.newest < _SETTLED_S:
            return None
        work = Thread(target=self.keep, args=(table,))
        work.start()
        return work

    def keep(self, table: pa.Table) -> None:
        """Keep the records. A cache that cannot be written is no reason to fail: they are joined again."""
        try:
            with (
                replacing(self.path) as temporary,
                pa.OSFile(str(temporary), "wb") as sink,
                ipc.new_file(sink, table.schema) as writer,
            ):
                writer.write_table(table.combine_chunks())
        except OSError:
            return


def _is_ours(table: pa.Table) -> bool:
    names, schema = table.column_names[: len(NAMES)], table.schema
    return tuple(names) == NAMES and all(schema.field(name).type == kind for name, kind in COLUMNS.items())
