"""Images that are cells of Parquet files.

Invariant: one image costs one row group, and the last few are kept; a column of bytes is never read whole.
A cell without bytes that names a file means the file beside the Parquet file, never one outside its folder.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from functools import cached_property
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from radcap.datasets.refusal import missing_image, refuse
from radcap.datasets.stores.folder import FolderImages

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ParquetImages"]

_KEPT_BYTES = 64 * 1024 * 1024  # of row groups; at least one is kept however large it is
_BYTES, _PATH = "image.bytes", "image.path"


class ParquetImages:
    """The column `image` of several files, by a key that names file and row: `2:17`."""

    def __init__(self, paths: tuple[Path, ...], folder: Path | None = None) -> None:
        self.paths = paths
        self.folder = folder  # where files named in cells lie
        self._files: dict[int, _File] = {}
        self._groups: OrderedDict[tuple[int, int], Any] = OrderedDict()
        self._kept_bytes = 0
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[ParquetImages], tuple[tuple[Path, ...], Path | None]]:
        return type(self), (self.paths, self.folder)

    def read(self, key: str) -> bytes:
        number, row = _parts(key)
        place = f"{self.paths[number].name}, row {row + 1}"
        if not self.paths[number].is_file():
            raise missing_image(place)
        try:
            data, name = self._cell(number, row)
        except (OSError, pa.ArrowException) as error:
            raise refuse("IMG109", place, why=str(error).strip().rstrip(".")) from None
        if data is not None:
            return data
        if not name or self.folder is None:
            raise missing_image(name or place)
        return FolderImages(self.folder).read(_posix(name))

    def has(self, key: str) -> bool:
        if not key:
            return False
        number, row = _parts(key)
        file = self._file(number)
        if not file.there[row]:
            return False
        return file.embedded or self._beside(file.names[row]) is not None or self._has_bytes(number, row)

    def name(self, key: str) -> str:
        number, row = _parts(key)
        return self._file(number).names[row] or f"{self.paths[number].stem}-{row}"

    def path(self, key: str) -> Path | None:
        number, row = _parts(key)
        file = self._file(number)
        return None if file.embedded else self._beside(file.names[row])

    def stamp(self, key: str) -> str:
        number, row = _parts(key)
        path = self.path(key) or self.paths[number]
        seen = path.stat()
        return f"{path.name}:{seen.st_size}:{seen.st_mtime_ns}:{row}"

    def keys(self) -> Iterable[str]:
        for number in range(len(self.paths)):
            try:
                rows = self.there(number).nonzero()[0].tolist()
            except (OSError, pa.ArrowException):
                continue  # reading the labels of this file has named what is wrong with it
            for row in rows:
                yield f"{number}:{row}"

    def there(self, number: int) -> NDArray[np.bool_]:
        """For each row of a file whether its cell holds anything, told without reading the bytes."""
        return self._file(number).there

    def _file(self, number: int) -> _File:
        with self._lock:
            return self._opened(number)

    def _opened(self, number: int) -> _File:
        if number not in self._files:
            self._files[number] = _File(self.paths[number])
        return self._files[number]

    def _cell(self, number: int, row: int) -> tuple[bytes | None, str]:
        with self._lock:
            file = self._opened(number)
            group = bisect_right(file.starts, row) - 1
            column = self._group(file, number, group)
        value: Any = column[row - file.starts[group]].as_py()
        if isinstance(value, dict):
            return value.get("bytes"), value.get("path") or ""  # pyright: ignore
        return (None, value) if isinstance(value, str) else (value, "")

    def _group(self, file: _File, number: int, group: int) -> Any:
        """The images of a row group, kept for the neighbours that are asked for next."""
        key = (number, group)
        if key in self._groups:
            self._groups.move_to_end(key)
            return self._groups[key]
        self._groups[key] = made = file.images(group)
        self._kept_bytes += made.nbytes
        while len(self._groups) > 1 and self._kept_bytes > _KEPT_BYTES:
            self._kept_bytes -= self._groups.popitem(last=False)[1].nbytes
        return made

    def _has_bytes(self, number: int, row: int) -> bool:
        return self._cell(number, row)[0] is not None

    def _beside(self, name: str) -> Path | None:
        """The file that a cell names, if it lies in the folder of the dataset."""
        return FolderImages(self.folder).path(_posix(name)) if self.folder else None


class _File:
    """What the footer of one file says, and the names in it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._about: Any = pq.read_metadata(path)  # kept, so that opening again is cheap
        form: Any = self._about.schema.to_arrow_schema()
        places = form.get_all_field_indices("image")
        self.kind: Any = form.field(places[0]).type if len(places) == 1 else pa.null()
        sizes = [self._about.row_group(group).num_rows for group in range(self._about.num_row_groups)]
        self.starts = [0, *accumulate(sizes)]

    @cached_property
    def _light(self) -> Any:
        """The column without its bytes: a struct of names, names alone, or nothing that tells."""
        if pa.types.is_struct(self.kind) and self.kind.get_field_index("path") >= 0:
            return self._column(_PATH)
        return self._column("image") if self._named else None

    def _column(self, name: str, group: int | None = None) -> Any:
        """A column of the file or of one group. A file is not held open: a dataset may have hundreds."""
        with pq.ParquetFile(self._path, metadata=self._about) as file:
            table = file.read(columns=[name]) if group is None else file.read_row_group(group, [name])
        return table["image"].combine_chunks()

    @property
    def _named(self) -> bool:
        return pa.types.is_string(self.kind) or pa.types.is_large_string(self.kind)

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        import numpy as np

        if pa.types.is_null(self.kind):
            return np.zeros(self.starts[-1], bool)
        if self._light is None:
            return np.ones(self.starts[-1], bool)
        return self._light.is_valid().to_numpy(zero_copy_only=False)

    @cached_property
    def names(self) -> list[str]:
        if self._light is None:
            return [""] * self.starts[-1]
        names = self._light if self._named else self._light.field("path")
        return names.fill_null("").to_pylist()

    @cached_property
    def embedded(self) -> bool:
        """Whether every cell that is there holds bytes, as far as the footer tells."""
        return not self._named and self._nulls() in {None, len(self.there) - int(self.there.sum())}

    def _nulls(self) -> int | None:
        """How many cells have no bytes; None where the file does not count them."""
        about = self._about
        places = [i for i in range(about.num_columns) if about.schema.column(i).path in {_BYTES, "image"}]
        total = 0
        for group in range(about.num_row_groups):
            counted = about.row_group(group).column(places[0]).statistics
            if counted is None or not counted.has_null_count:
                return None
            total += counted.null_count
        return total

    def images(self, group: int) -> Any:
        return self._column("image", group)


def _posix(name: str) -> str:
    return name.replace("\\", "/")


def _parts(key: str) -> tuple[int, int]:
    number, _, row = key.partition(":")
    return int(number), int(row)
