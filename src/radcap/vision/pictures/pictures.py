"""The pictures of a dataset, decoded once and held where they are used.

Invariant: a picture that would not decode is not among them; it stands in `refused` with its code. Pixels lie
on the device as uint8 where they fit, else they stay on disk and are mapped from there.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from radcap.datasets.images import cache_images
from radcap.vision.pictures.preparing import equalised, trimmed
from radcap.vision.pictures.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.datasets.images import ImageCache
    from radcap.vision.settings import ImageSettings

__all__ = ["Pictures", "load_pictures"]

_CHUNK = 512  # pictures moved at a time
_SPARE = 0.5  # of the device's free memory that pictures may take


class Pixels(Protocol):
    """Where squares come from."""

    def take(self, places: torch.Tensor) -> torch.Tensor: ...


@dataclass(frozen=True)
class DevicePixels:
    """Squares on the device."""

    squares: torch.Tensor

    def take(self, places: torch.Tensor) -> torch.Tensor:
        return self.squares[places]


@dataclass(frozen=True)
class HostPixels:
    """Squares on disk, of which a batch at a time goes to the device."""

    cache: ImageCache
    rows: NDArray[np.int64]
    device: torch.device
    clahe: float = 0.0
    boxes: torch.Tensor = field(default_factory=lambda: torch.empty(0, 4))

    def take(self, places: torch.Tensor) -> torch.Tensor:
        here = places.cpu()
        squares = torch.from_numpy(self.cache.batch(self.rows[here.numpy()])).to(self.device)
        return equalised(squares, self.boxes[here], self.clahe) if self.clahe else squares


@dataclass(frozen=True)
class Pictures:
    """Squares with their boxes, in the order of `ids`."""

    ids: tuple[str, ...]
    pixels: Pixels
    boxes: torch.Tensor
    view: View
    refused: Mapping[str, str] = field(default_factory=dict[str, str])

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def device(self) -> torch.device:
        return self.boxes.device

    def squares(self, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The squares and boxes at these places."""
        return self.pixels.take(places), self.boxes[places]


def load_pictures(
    dataset: Dataset,
    settings: ImageSettings,
    device: torch.device,
    *,
    where: str = "auto",
    workers: int | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Pictures:
    """Decode what is not decoded yet, and hold it. `where` is device, host or auto."""
    view = View(settings)
    cache = cache_images(dataset, view.side, view.channels, workers=workers, progress=progress)
    ids = dataset.ids
    rows = np.array([place for place, one in enumerate(ids) if one not in cache.refused], np.int64)
    boxes = torch.from_numpy(np.ascontiguousarray(cache.boxes[rows])).float()
    if _fits(len(rows), view, device, where):
        squares, boxes = _moved(cache, rows, boxes, settings, device)
        pixels: Pixels = DevicePixels(squares)
    else:
        boxes = _trimmed(cache, rows, boxes) if settings.trim else boxes
        pixels = HostPixels(cache, rows, device, settings.clahe, boxes)
    kept: list[int] = rows.tolist()
    return Pictures(tuple(ids[row] for row in kept), pixels, boxes.to(device), view, cache.refused)


def _fits(n: int, view: View, device: torch.device, where: str) -> bool:
    """Whether the squares go to the device. A CPU maps them from disk, which is memory to it anyway."""
    if where != "auto":
        return where == "device"
    if device.type != "cuda":
        return False
    free, _ = torch.cuda.mem_get_info(device)
    return n * view.side**2 * view.channels < free * _SPARE


def _moved(
    cache: ImageCache,
    rows: NDArray[np.int64],
    boxes: torch.Tensor,
    settings: ImageSettings,
    device: torch.device,
) -> tuple[torch.Tensor, torch.Tensor]:
    shape = (len(rows), *cache.pixels.shape[1:])
    squares = torch.empty(shape, dtype=torch.uint8, device=device)
    done: list[torch.Tensor] = []
    for start in range(0, len(rows), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        moved = torch.from_numpy(cache.batch(rows[chunk])).to(device)
        place = boxes[chunk].to(device)
        place = trimmed(moved, place) if settings.trim else place
        squares[chunk] = equalised(moved, place, settings.clahe) if settings.clahe else moved
        done.append(place)
    return squares, torch.cat(done) if done else boxes.to(device)


def _trimmed(cache: ImageCache, rows: NDArray[np.int64], boxes: torch.Tensor) -> torch.Tensor:
    chunks = (slice(start, start + _CHUNK) for start in range(0, len(rows), _CHUNK))
    done = [trimmed(torch.from_numpy(cache.batch(rows[chunk])), boxes[chunk]) for chunk in chunks]
    return torch.cat(done) if done else boxes
