"""What is to be seen on each synthetic image, drawn by lot for all of them at once.

Invariant: the same numbers give the same facts, and a group shares its findings, its year and its licence.

Findings are as frequent as in real labels. In the bundled set the concepts beside modality, region and
direction (243 on 5,254 images) follow Zipf's law with Mandelbrot's shift, share(rank) ~ 1 / (rank + 0.056) **
1.10, by largest likelihood; how many an image has is taken from there too. Modalities, regions and directions
are as frequent as the ROCOv2 paper prints them; optical coherence tomography, not counted there, has 0.4 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.core.runs import Cui

__all__ = [
    "DIRECTION_CUIS",
    "GROUP_SIZES",
    "LICENCES",
    "MODALITY_CODES",
    "MODALITY_CUIS",
    "PLAIN",
    "REGION_CUIS",
    "Facts",
    "draw_facts",
]

_MODALITIES: Mapping[Cui, tuple[str, int]] = {
    "C0040405": ("DRCT", 27747),
    "C1306645": ("DRXR", 21997),
    "C0024485": ("DRMR", 12657),
    "C0041618": ("DRUS", 11429),
    "C0002978": ("DRAN", 4799),
    "C1699633": ("DRCO", 728),
    "C0032743": ("DRPE", 432),
    "C0920367": ("DROCT", 320),
}
MODALITY_CUIS = tuple(_MODALITIES)
MODALITY_CODES = tuple(code for code, _ in _MODALITIES.values())
PLAIN = MODALITY_CODES.index("DRXR")  # the one modality whose region and direction people label
_REGIONS: Mapping[Cui, int] = {
    "C0817096": 7388,
    "C0037303": 3973,
    "C0023216": 3167,
    "C0000726": 2301,
    "C0030797": 1573,
    "C1140618": 1478,
    "C0037949": 1363,
    "C0006141": 102,
}
REGION_CUIS = tuple(_REGIONS)
_DIRECTIONS: Mapping[Cui, int] = {"C1999039": 9605, "C1996865": 4303, "C0205129": 2425, "C0205131": 51}
DIRECTION_CUIS = tuple(_DIRECTIONS)
LICENCES = ("CC BY 4.0", "CC BY-NC 4.0", "CC0 1.0")
_LICENCE_WEIGHTS = (70, 25, 5)
GROUP_SIZES = (0.56, 0.24, 0.10, 0.05, 0.03, 0.02)  # 1 to 6 images, 1.8 on average as in ROCOv2
_FINDINGS = (0.2225, 0.3679, 0.3426, 0.0493, 0.0137, 0.0040)  # images with none, one, two, ...
_SHIFT, _EXPONENT = 0.056, 1.10
_SHOWN = 0.9  # how often an image shows a finding of its group
_LABELLED = 0.5  # how often the caption of anything but an X-ray names the region
_STRAY = 0.12  # how often an image is of another modality than the rest of its group
_YEARS = (2010, 2025)


@dataclass(frozen=True, slots=True)
class Facts:
    """One entry for each image; findings are numbered by frequency, and laid end to end."""

    groups: NDArray[np.int64]
    modalities: NDArray[np.uint8]
    regions: NDArray[np.uint8]
    directions: NDArray[np.uint8]
    named: NDArray[np.bool_]  # the region is among the concepts
    years: NDArray[np.int16]
    licences: NDArray[np.uint8]
    starts: NDArray[np.int64]
    findings: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.groups)

    def of(self, place: int) -> list[int]:
        """The findings of an image."""
        return self.findings[self.starts[place] : self.starts[place + 1]].tolist()


def draw_facts(images: int, seed: int, findings: int, sizes: Sequence[float] = GROUP_SIZES) -> Facts:
    """Facts of so many images; `sizes` are the weights of groups with one image, two images and so on."""
    rng = np.random.default_rng([seed, images, findings])
    groups = _groups(rng, images, sizes)
    n = int(groups[-1]) + 1 if images else 0
    modalities = _of_group(rng, groups, n, [weight for _, weight in _MODALITIES.values()])
    starts, shown = _findings(rng, groups, n, findings)
    return Facts(
        groups,
        modalities,
        _drawn(rng, n, list(_REGIONS.values()))[groups],
        _drawn(rng, images, list(_DIRECTIONS.values())),
        (modalities == PLAIN) | (rng.random(images) < _LABELLED),
        rng.integers(*_YEARS, n).astype(np.int16)[groups],
        _drawn(rng, n, _LICENCE_WEIGHTS)[groups],
        starts,
        shown,
    )


def _groups(rng: np.random.Generator, images: int, sizes: Sequence[float]) -> NDArray[np.int64]:
    """The group of each image, in order; the last group is cut where the images end."""
    weights = np.array(sizes, float)
    if not len(weights) or (weights < 0).any() or not weights.sum() > 0:
        raise UsageError(f"The weights of group sizes are {list(sizes)}. Give 0 or more, and one above 0.")
    drawn = rng.choice(np.arange(1, len(weights) + 1), images, p=weights / weights.sum())
    return np.repeat(np.arange(images), drawn)[:images]


def _drawn(rng: np.random.Generator, n: int, weights: Sequence[float]) -> NDArray[np.uint8]:
    share = np.array(weights, float)
    return rng.choice(len(share), n, p=share / share.sum()).astype(np.uint8)


def _of_group(
    rng: np.random.Generator, groups: NDArray[np.int64], n: int, weights: Sequence[float]
) -> NDArray[np.uint8]:
    """What most images of a group share."""
    usual, own = _drawn(rng, n, weights)[groups], _drawn(rng, len(groups), weights)
    return np.where(rng.random(len(groups)) < _STRAY, own, usual)


def _findings(
    rng: np.random.Generator, groups: NDArray[np.int64], n: int, findings: int
) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """What each image shows of the findings of its group."""
    share = (np.arange(1, findings + 1) + _SHIFT) ** -_EXPONENT
    most = len(_FINDINGS) - 1
    drawn = np.searchsorted(np.cumsum(share) / max(share.sum(), 1e-300), rng.random((n, most)))
    counts = _drawn(rng, n, _FINDINGS) if findings else np.zeros(n, np.uint8)
    wanted = (np.arange(most) < counts[:, None]) & ~_repeated(drawn)
    shown = wanted[groups] & (rng.random((len(groups), most)) < _SHOWN)
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(shown.sum(axis=1))))
    return starts, drawn[groups][shown].astype(np.int16)


def _repeated(drawn: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values stand in their row already."""
    found = np.zeros(drawn.shape, bool)
    for later in range(1, drawn.shape[1]):
        found[:, later] = (drawn[:, :later] == drawn[:, [later]]).any(axis=1)
    return found
