"""Noisy linear imputation (Rong 2022): a removed pixel is the weighted mean of its eight neighbours.

Invariant: pixels that are kept stay as they are, and neighbours outside the picture do not count. The system
is symmetric, and is solved from coarse to fine by conjugate gradients: the coarse picture gets the large
shapes right, so that a few steps on the fine one do (Bornemann and Deuflhard 1996).
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from radcap.explanation.faithfulness.fills import Replace

__all__ = ["impute", "imputed"]

_DIRECT, _DIAGONAL = 1 / 6, 1 / 12
_NOISE = 0.6  # grey levels: the 0.01 of the paper, in pixels scaled to a spread of about 60
_SMALLEST = 8  # pixels along the shorter side: no coarser, solved to the end
_STEPS = 12  # leave 0.2 grey levels on average at 260 pixels, less than the noise
_HALF = 0.5


def imputed(pixels: torch.Tensor, inside: torch.Tensor, *, noise: float = _NOISE, seed: int = 0) -> Replace:
    """A fill that leaves no trace of what was taken away: not even where it was."""
    return partial(_replaced, pixels, inside, noise, seed)


def _replaced(
    pixels: torch.Tensor, inside: torch.Tensor, noise: float, seed: int, removed: torch.Tensor
) -> torch.Tensor:
    gone = (removed > _HALF)[:, None]
    lots = torch.Generator().manual_seed(seed)
    drawn = torch.randn(pixels.shape, generator=lots).to(pixels) * noise
    planes = pixels[:, :1] if (pixels == pixels[:, :1]).all() else pixels  # a grey image is solved once
    filled = impute(planes.expand(len(gone), -1, -1, -1), gone, inside[None, None])
    return torch.where(gone, filled + drawn, pixels)


def impute(
    pixels: torch.Tensor, gone: torch.Tensor, inside: torch.Tensor, *, steps: int = _STEPS
) -> torch.Tensor:
    """`pixels` (n x c x h x w) without those that are `gone` (n x 1 x h x w); the picture lies `inside`."""
    gone = gone & inside
    known = inside & ~gone
    guess = _guess(pixels, gone, known, steps)
    return _solved(System.of(gone.to(pixels), known.to(pixels)), pixels, guess, steps)


def _guess(pixels: torch.Tensor, gone: torch.Tensor, known: torch.Tensor, steps: int) -> torch.Tensor:
    """From the picture at half its size; the smallest one starts from the mean of what is known."""
    weight = known.to(pixels)
    if min(pixels.shape[-2:]) < 2 * _SMALLEST:
        mean = (pixels * weight).sum((-2, -1), keepdim=True) / weight.sum((-2, -1), keepdim=True).clamp_min(1)
        return mean.expand_as(pixels)
    there = _halved(weight)
    values = _halved(pixels * weight) / there.clamp_min(1e-6)
    coarse = impute(values, (there == 0), (there > 0) | (_halved(gone.to(pixels)) > 0), steps=2 * steps)
    return F.interpolate(coarse, pixels.shape[-2:], mode="bilinear", align_corners=False)


def _halved(planes: torch.Tensor) -> torch.Tensor:
    return F.avg_pool2d(planes, 2, ceil_mode=True, count_include_pad=False)


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """The equations of all removed pixels: what their neighbours weigh, less those outside the picture."""

    gone: torch.Tensor
    known: torch.Tensor
    weights: torch.Tensor

    @classmethod
    def of(cls, gone: torch.Tensor, known: torch.Tensor) -> System:
        return cls(gone, known, _around(gone + known))

    def side(self, pixels: torch.Tensor) -> torch.Tensor:
        return self.gone * _around(self.known * pixels)

    def times(self, values: torch.Tensor) -> torch.Tensor:
        return self.gone * (self.weights * values - _around(self.gone * values))


def _around(planes: torch.Tensor) -> torch.Tensor:
    """The weighted sum of the eight neighbours, by sums of three: quicker than a convolution."""
    padded = F.pad(planes, (1, 1, 1, 1))
    rows = padded[..., 1:-1, :]
    ends = padded[..., :-2, :] + padded[..., 2:, :]
    direct = rows[..., :-2] + rows[..., 2:] + ends[..., 1:-1]
    return _DIRECT * direct + _DIAGONAL * (ends[..., :-2] + ends[..., 2:])


def _solved(system: System, pixels: torch.Tensor, guess: torch.Tensor, steps: int) -> torch.Tensor:
    """Conjugate gradients, each image and channel by itself."""
    values = torch.where(system.gone > 0, guess, pixels)
    rest = system.side(pixels) - system.times(values)
    way, size = rest, _dot(rest, rest)
    for _ in range(steps):
        ahead = system.times(way)
        length = size / _dot(way, ahead).clamp_min(1e-12)
        values = values + length * way
        rest = rest - length * ahead
        left = _dot(rest, rest)
        way, size = rest + left / size.clamp_min(1e-12) * way, left
    return values


def _dot(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return (first * second).sum((-2, -1), keepdim=True)
