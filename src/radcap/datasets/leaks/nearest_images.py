"""How near the images of a test come to those of train, against what chance would give.

Invariant: this is a picture of distances and no list of duplicates. Radiographs of one view are near each
other whoever the patient is, so distances are read against those among images of the first dataset itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.report import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets.survey.survey import Survey

__all__ = ["Nearest", "nearest_images"]

_SAMPLE = 2000  # images of either kind that are looked up
_BLOCK = 1 << 22  # distances at a time
_BITS = 64
_EDGES = (0, 1, 4, 8, 12, 16, 20, _BITS)


@dataclass(frozen=True, slots=True)
class Nearest:
    """Distances in bits of the 64-bit pHash to the nearest image of the first dataset."""

    second: tuple[int, ...]  # of images of the second dataset, ascending
    control: tuple[int, ...]  # of images of the first to the nearest of another group, ascending

    def to_json(self) -> dict[str, object]:
        return {
            name: {"n": len(values), "median": _median(values), "bins": _bins(values)}
            for name, values in (("second", self.second), ("control", self.control))
        }

    def table(self) -> Table:
        """Shares of images by distance."""
        second, control = (_bins(values) for values in (self.second, self.control))
        rows = [
            (
                name,
                f"{second[name]:,}",
                _share(second[name], self.second),
                _share(control[name], self.control),
            )
            for name in second
        ]
        columns = ("bits", "images", "share", "control")
        title = "Distance to the nearest image of the first dataset"
        return Table(columns, tuple(rows), title, frozenset(columns))


def nearest_images(
    first: Survey, second: Survey, groups: NDArray[np.int64], *, seed: int = 0
) -> Nearest | None:
    """The distances of a seeded sample, or None if either dataset shows nothing.

    `groups` are those of the first dataset.
    """
    known, asked = np.flatnonzero(first.decoded), np.flatnonzero(second.decoded)
    if not len(known) or not len(asked):
        return None
    rng = np.random.default_rng(seed)
    some = rng.permutation(asked)[:_SAMPLE]
    control = rng.permutation(known)[:_SAMPLE]
    hashes = first.phashes[known]
    far = _distances(hashes, second.phashes[some])
    own = _distances(hashes, first.phashes[control], groups[known], groups[control])
    return Nearest(tuple(np.sort(far).tolist()), tuple(np.sort(own[own >= 0]).tolist()))


def _distances(
    known: NDArray[np.uint64],
    asked: NDArray[np.uint64],
    known_groups: NDArray[np.int64] | None = None,
    asked_groups: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """The least distance of each to those of another group; -1 where there is none."""
    found = np.full(len(asked), -1, np.int64)
    step = max(1, _BLOCK // len(known))
    for start in range(0, len(asked), step):
        part = slice(start, start + step)
        bits = np.bitwise_count(asked[part, None] ^ known[None, :]).astype(np.int64)
        if known_groups is not None and asked_groups is not None:
            bits[asked_groups[part, None] == known_groups[None, :]] = _BITS + 1
        found[part] = bits.min(axis=1)
    found[found > _BITS] = -1
    return found


def _bins(values: tuple[int, ...]) -> dict[str, int]:
    counts, _ = np.histogram(np.array(values), (*_EDGES[:-1], _EDGES[-1] + 1))
    names = [
        str(low) if high == low + 1 else f"{low}-{high - 1}"
        for low, high in zip(_EDGES, (*_EDGES[1:-1], _EDGES[-1] + 1), strict=False)
    ]
    return dict(zip(names, counts.tolist(), strict=True))


def _median(values: tuple[int, ...]) -> float | None:
    return float(np.median(values)) if values else None


def _share(count: int, values: tuple[int, ...]) -> str:
    return f"{count / len(values):.1%}" if values else "-"
