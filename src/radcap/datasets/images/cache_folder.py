"""The folder of a cache: its files, its config and how far its making has come.

Invariant: a folder is worked on under the name `NAME.part` and gets its own when it is whole. `state.json`
holds the config it was begun with; another config on the same folder is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import RadcapError, UsageError
from radcap.datasets.images.letterbox import ROW
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.datasets.dataset import Dataset

__all__ = ["CHUNK", "CacheConfig", "CacheFolder", "config_of"]

CHUNK = 64  # images that are done, and said to be done, together
_RECIPE = 1  # raised when the same bytes would give other pixels
_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class CacheConfig:
    """What the pixels of a cache depend on. `images` is a digest of ids and stamps."""

    images: str
    n: int
    size: int
    channels: int
    chunk: int = CHUNK
    recipe: int = _RECIPE

    @property
    def key(self) -> str:
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def shape(self) -> tuple[int, int, int, int]:
        return self.n, self.size, self.size, self.channels

    def fits(self, other: CacheConfig) -> bool:
        """Whether the same bytes give the same pixels."""
        return (self.size, self.channels, self.recipe) == (other.size, other.channels, other.recipe)


def config_of(dataset: Dataset, size: int, channels: int) -> CacheConfig:
    """The config of a cache, without reading an image."""
    if size < 1 or channels not in {1, 3}:
        raise UsageError(f"Size {size} with {channels} channels cannot be made. Ask for 1 or 3 channels.")
    digest = hashlib.sha256()
    keys: list[str] = dataset.column("image").to_pylist()
    for image_id, key in zip(dataset.ids, keys, strict=True):
        stamp = dataset.images.stamp(key) if key else ""
        digest.update(json.dumps([image_id, key, stamp]).encode())
    return CacheConfig(digest.hexdigest(), len(keys), size, channels)


@dataclass(frozen=True, slots=True)
class CacheFolder:
    """The files of a cache, in the making or whole."""

    path: Path

    def begin(self, config: CacheConfig, ids: Sequence[str]) -> None:
        """Empty files of the right size. Room is taken now: a full disk would kill later, without a word."""
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            self._reserve("pixels.npy", config.shape, np.dtype(np.uint8))
            self._reserve("rows.npy", (config.n,), ROW)
        except OSError as failure:
            wanted = np.prod(config.shape) / _GIB
            raise RadcapError(
                f"There is no room for {wanted:.2f} GiB in {self.path.parent} ({failure.strerror})."
                " Free some, set RADCAP_CACHE to another disk, or ask for a smaller size."
            ) from None
        with replacing(self.path / "ids.json") as file:
            file.write_text(json.dumps(list(ids)), "utf-8")
        self.write_state(config, ())

    def write_state(self, config: CacheConfig, done: Iterable[int]) -> None:
        """Say which chunks are done, after all that was written for them is on the disk."""
        for name in ("pixels.npy", "rows.npy"):
            with (self.path / name).open("rb+") as file:
                os.fsync(file.fileno())
        with replacing(self.path / "state.json") as file:
            file.write_text(json.dumps({"config": asdict(config), "done": sorted(done)}), "utf-8")

    def read_state(self) -> tuple[CacheConfig, frozenset[int]]:
        """The config and the chunks that are done."""
        try:
            state = json.loads((self.path / "state.json").read_text("utf-8"))
            return CacheConfig(**state["config"]), frozenset(map(int, state["done"]))
        except (KeyError, OSError, TypeError, ValueError):
            raise self._unusable("Its state.json cannot be read") from None

    def check(self, config: CacheConfig) -> frozenset[int]:
        """The chunks that are done; a folder of another config is refused."""
        found, done = self.read_state()
        if found != config:
            raise self._unusable(f"It was begun for {found}, not for {config}")
        return done

    def pixels(self, mode: Any = "r") -> np.memmap[Any, np.dtype[np.uint8]]:
        return self._load("pixels.npy", mode)

    def rows(self, mode: Any = "r") -> np.memmap[Any, np.dtype[np.void]]:
        return self._load("rows.npy", mode)

    def ids(self) -> list[str]:
        try:
            return json.loads((self.path / "ids.json").read_text("utf-8"))
        except (OSError, ValueError):
            raise self._unusable("Its ids.json cannot be read") from None

    def _load(self, name: str, mode: Any) -> Any:
        try:
            return np.load(self.path / name, mmap_mode=mode, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise self._unusable(f"Its {name} cannot be read") from None

    def _reserve(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        path = self.path / name
        if not np.prod(shape):
            np.save(path, np.zeros(shape, dtype))  # nothing cannot be mapped
            return
        np.lib.format.open_memmap(path, "w+", dtype, shape)
        if hasattr(os, "posix_fallocate"):
            with path.open("rb+") as file:
                os.posix_fallocate(file.fileno(), 0, path.stat().st_size)

    def _unusable(self, why: str) -> UsageError:
        return UsageError(f"{self.path} cannot be used. {why}. Delete the folder; it is made again.")
