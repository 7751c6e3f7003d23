"""All images of a dataset at one size, as one array on disk that any number of processes share.

Invariant: row `i` belongs to the record at place `i` of the dataset the cache was made from. An image that
was refused is a black row and stands in `refused`. Opening reads labels and stamps, never an image.

    cache = cache_images(radcap.load_dataset("radiology-open"), size=256)
    cache.batch([3, 1, 4])  # 3 x 256 x 256 x 3, uint8
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import cache_root
from radcap.core.processes import default_workers
from radcap.datasets.images.cache_build import Built, build
from radcap.datasets.images.cache_folder import CacheFolder, config_of
from radcap.datasets.images.cache_lock import locked
from radcap.datasets.images.letterbox import code_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset

__all__ = ["ImageCache", "cache_images", "open_cache"]


@dataclass(frozen=True)
class ImageCache:
    """The rows of a cache. `built` tells what this call did to make it."""

    path: Path
    built: Built = field(default_factory=Built)

    def __len__(self) -> int:
        return len(self.ids)

    def __reduce__(self) -> tuple[type[ImageCache], tuple[Path, Built]]:
        return type(self), (self.path, self.built)  # another process maps the same files

    @cached_property
    def pixels(self) -> np.memmap[Any, np.dtype[np.uint8]]:
        """n x size x size x channels, read-only."""
        return self._folder.pixels()

    @cached_property
    def ids(self) -> list[str]:
        return self._folder.ids()

    @property
    def boxes(self) -> NDArray[np.int32]:
        """Top, left, height and width of each picture in its square; zeros where it was refused."""
        return self._rows["box"]

    @property
    def originals(self) -> NDArray[np.int32]:
        """Width and height of each upright original."""
        return self._rows["original"]

    @property
    def digests(self) -> NDArray[np.uint8]:
        """The SHA-256 of each file; zeros where there was none."""
        return self._rows["digest"]

    @cached_property
    def refused(self) -> Mapping[str, str]:
        """The ids of images that were refused, with the code of the reason."""
        codes = self._rows["code"]
        return {self.ids[place]: code_name(codes[place]) for place in codes.nonzero()[0].tolist()}

    def batch(self, places: Sequence[int] | NDArray[Any], out: NDArray[np.uint8] | None = None) -> Any:
        """The rows at these places, in this order, copied at once (into `out` where it is given)."""
        mode = "raise" if out is None else "clip"  # to raise, numpy would fill a second array first
        wanted = np.asarray(places, np.int64)
        if out is not None and wanted.size and not 0 <= wanted.min() <= wanted.max() < len(self.pixels):
            raise IndexError(f"The cache has {len(self.pixels):,} rows. A place lies outside of them.")
        return np.asarray(self.pixels).take(wanted, axis=0, out=out, mode=mode)

    def rows(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """The places of these images; an id the cache does not have raises `KeyError`."""
        try:
            return np.fromiter((self._places[one] for one in ids), np.int64)
        except KeyError as missing:
            raise KeyError(f"The cache has no image {missing.args[0]!r}.") from None

    def verify(self, sample: int | None = None, seed: int = 0) -> tuple[str, ...]:
        """The ids of rows whose pixels are not those that were written, among all or a random sample."""
        places = np.arange(len(self))
        if sample is not None and sample < len(places):
            places = np.sort(np.random.default_rng(seed).choice(places, sample, replace=False))
        checksums = self._rows["checksum"]
        return tuple(
            self.ids[place]
            for place in places.tolist()
            if zlib.crc32(self.pixels[place].data) != checksums[place]
        )

    @cached_property
    def _rows(self) -> np.memmap[Any, np.dtype[np.void]]:
        return self._folder.rows()

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {one: place for place, one in reversed(list(enumerate(self.ids)))}  # the first of equal ids

    @property
    def _folder(self) -> CacheFolder:
        return CacheFolder(self.path)


def cache_images(
    dataset: Dataset,
    size: int = 256,
    channels: int = 3,
    *,
    workers: int | None = None,
    progress: Callable[[str, int], None] | None = None,
    root: Path | None = None,
) -> ImageCache:
    """The cache of a dataset at a size: opened where there is one, else made.

    A build that was killed goes on where it stopped. While another process builds the same cache,
    `CacheBusy` is raised.
    """
    config = config_of(dataset, size, channels)
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", dataset.name).strip("-")[:40] or "images"
    root = root if root is not None else cache_root() / "images"
    folder = CacheFolder(root / f"{name}-{size}x{channels}-{config.key}")
    built = Built()
    if not folder.path.exists():
        with locked(folder.path.with_suffix(".lock")):
            if not folder.path.exists():  # by whoever had the lock a moment ago
                built = build(dataset, config, folder, workers or default_workers(), progress or _unheard)
    folder.check(config)
    return ImageCache(folder.path, built)


def open_cache(path: Path) -> ImageCache:
    """A cache by its folder, for a process that has no dataset."""
    CacheFolder(path).read_state()
    return ImageCache(path)


def _unheard(what: str, done: int) -> None:
    """Progress that nobody asked for."""
