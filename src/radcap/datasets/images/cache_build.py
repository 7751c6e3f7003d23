"""Fill a cache folder, in processes and in chunks.

Invariant: a row depends on the bytes of its image alone, so a chunk that is done twice is the same; what is
written in `state.json` as done is on the disk. Rows of older caches are taken over by content, not decoded.
"""

from __future__ import annotations

import shutil
import time
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import UsageError
from radcap.core.processes import in_processes
from radcap.datasets.images.cache_folder import CacheFolder
from radcap.datasets.images.letterbox import digest_of, letterbox, refuse_row
from radcap.datasets.refusal import ImageRefused, missing_image

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.images.cache_folder import CacheConfig
    from radcap.datasets.stores import ImageStore

__all__ = ["Built", "build"]

_SAVE_S = 5.0  # a kill costs no more than this
_OLDER = 16  # caches that are searched for rows, the newest first
Item = tuple[int, str]  # place in the cache, key in the store
Row = tuple[Any, Any, int]  # the pixels and the rows of a cache, and a place in both


@dataclass(frozen=True, slots=True)
class Built:
    """How many rows were decoded, and how many taken over from older caches."""

    decoded: int = 0
    reused: int = 0

    def __add__(self, other: Built) -> Built:
        return Built(self.decoded + other.decoded, self.reused + other.reused)


def build(
    dataset: Dataset,
    config: CacheConfig,
    folder: CacheFolder,
    workers: int,
    progress: Callable[[str, int], None],
) -> Built:
    """Do the chunks that are not done yet, and give the folder its name."""
    part = CacheFolder(folder.path.with_name(f"{folder.path.name}.part"))
    done = set(_resumed(part, config, dataset))
    keys: list[str] = dataset.column("image").to_pylist()
    items = list(enumerate(keys))
    left = [number for number in range(-(-len(items) // config.chunk)) if number not in done]
    chunks = [items[number * config.chunk : (number + 1) * config.chunk] for number in left]
    work = _Work(part, dataset.images, _older(folder.path, config))
    built, saved = Built(), time.monotonic()
    for number, one in zip(left, in_processes(work, chunks, workers, work.lose), strict=True):
        built += one
        done.add(number)
        progress("images", min(len(done) * config.chunk, len(items)))
        if time.monotonic() - saved >= _SAVE_S:
            part.write_state(config, done)
            saved = time.monotonic()
    part.write_state(config, done)
    part.path.replace(folder.path)
    return built


def _resumed(part: CacheFolder, config: CacheConfig, dataset: Dataset) -> frozenset[int]:
    """The chunks an earlier build has done; a folder that was left before its first state starts anew."""
    if (part.path / "state.json").exists():
        return part.check(config)
    shutil.rmtree(part.path, ignore_errors=True)
    part.begin(config, dataset.ids)
    return frozenset()


def _older(path: Path, config: CacheConfig) -> tuple[CacheFolder, ...]:
    """Whole caches beside this one, of other datasets or earlier copies, whose pixels fit."""
    found: list[tuple[float, CacheFolder]] = []
    for state in path.parent.glob("*/state.json"):
        folder = CacheFolder(state.parent)
        if folder.path.suffix != ".part" and _has_config_like(folder, config):
            found.append((state.stat().st_mtime, folder))
    found.sort(key=lambda one: one[0], reverse=True)
    return tuple(folder for _, folder in found[:_OLDER])


def _has_config_like(folder: CacheFolder, config: CacheConfig) -> bool:
    try:
        return folder.read_state()[0].fits(config)
    except UsageError:
        return False  # that folder is refused when somebody opens it


@dataclass(frozen=True, slots=True)
class _Work:
    """Fills the rows of a chunk; it is sent to each process once."""

    folder: CacheFolder
    images: ImageStore
    older: tuple[CacheFolder, ...]

    def __call__(self, chunk: Sequence[Item]) -> Built:
        pixels, rows = self.folder.pixels("r+"), self.folder.rows("r+")
        older = _rows_by_digest(self.older)
        built = Built()
        for place, key in chunk:
            built += self._fill(key, pixels[place], rows[place : place + 1], older)
        return built

    def lose(self, item: Item) -> None:
        """Mark an image whose decoding kills the process."""
        place, _ = item
        refuse_row(self.folder.pixels("r+")[place], self.folder.rows("r+")[place : place + 1], "IMG109")

    def _read(self, key: str) -> bytes:
        """The bytes of an image; a record without one has no key."""
        if not key:
            raise missing_image("")
        return self.images.read(key)

    def _fill(
        self, key: str, square: NDArray[np.uint8], row: NDArray[np.void], older: Mapping[bytes, Row]
    ) -> Built:
        try:
            data = self._read(key)
        except ImageRefused as refused:
            refuse_row(square, row, refused.code)
            return Built()
        row["digest"] = digest = digest_of(data)
        found = older.get(digest.tobytes())
        if found is not None and _copy(found, square, row):
            return Built(reused=1)
        letterbox(data, self.images.name(key), square, row)
        return Built(decoded=1)


def _copy(older: Row, square: NDArray[np.uint8], row: NDArray[np.void]) -> bool:
    """Take over the row of an older cache, unless it was damaged since."""
    pixels, rows, place = older
    square[...] = pixels[place]
    row[...] = rows[place]
    return zlib.crc32(square.data) == row["checksum"][0]


@lru_cache(maxsize=1)  # for the chunks of one build
def _rows_by_digest(folders: tuple[CacheFolder, ...]) -> Mapping[bytes, Row]:
    """Where a row for a content lies. What has no digest was never read."""
    found: dict[bytes, Row] = {}
    for folder in reversed(folders):  # the newest wins
        try:
            pixels, rows = folder.pixels(), folder.rows()
        except UsageError:
            continue  # that folder is refused when somebody opens it
        digests = np.asarray(rows["digest"])
        there: list[int] = np.flatnonzero(digests.any(axis=1)).tolist()
        found.update((digests[place].tobytes(), (pixels, rows, place)) for place in there)
    return found
