"""Sensitivity (Yeh 2019): the largest change of a map under noise that no eye sees, as a share of the map.

Invariant: noise falls on the picture alone and stays within the range of pixels; a map that was zero is
compared by the size of the change itself.
Cost: one more explanation of the image for each draw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from radcap.explanation.faithfulness.perturbing import inside_of

if TYPE_CHECKING:
    from radcap.explanation.lenses.lens import Lens

__all__ = ["Again", "noisy_lens", "noisy_pixels", "sensitivity"]

Again: TypeAlias = Callable[[int], Sequence[NDArray[Any]]]
"""From a seed to the maps of the image under the noise of that seed, in the order of the targets."""

_BRIGHTEST = 255


def sensitivity(maps: Sequence[NDArray[Any]], again: Again, *, draws: int = 4, seed: int = 0) -> list[float]:
    """The largest change over the draws; `again` explains the image with `noisy_pixels` of the seed."""
    drawn = [again(seed + draw) for draw in range(draws)]
    return [max(_change(one, others[place]) for others in drawn) for place, one in enumerate(maps)]


def noisy_pixels(lens: Lens, *, radius: float = 0.02, seed: int = 0) -> torch.Tensor:
    """The pixels of a lens with even noise, up to `radius` of the range up or down."""
    pixels = lens.pixels
    lots = torch.Generator().manual_seed(seed)
    noise = (2 * torch.rand(pixels.shape, generator=lots) - 1).to(pixels) * radius * _BRIGHTEST
    return (pixels + noise * inside_of(lens)).clamp(0, _BRIGHTEST)


def noisy_lens(lens: Lens, seed: int) -> Lens:
    """The same lens before an image with a little noise."""
    return replace(lens, pixels=noisy_pixels(lens, seed=seed))  # type: ignore[type-var]


def _change(one: NDArray[Any], other: NDArray[Any]) -> float:
    size = float(np.linalg.norm(one))
    return float(np.linalg.norm(one - other)) / (size or 1.0)
