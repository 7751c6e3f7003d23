"""Integrated gradients (Sundararajan and others, 2017) under noise (Smilkov and others, 2017).

The gradient is summed along the way from a black image to the image, times the difference of both.
Invariant: the map of one run sums to the score less that of a black image, to the error of the quadrature;
over runs with noise on the image the map is their mean, and `spread` their standard deviation.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.explanation.methods.method import Relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["IntegratedGradients"]


@dataclass(frozen=True, slots=True)
class IntegratedGradients:
    """`noise` in grey levels; pixels are summed over cells of `cell` by `cell`: one alone says little."""

    steps: int = 16
    samples: int = 3
    noise: float = 12.0
    cell: int = 8
    batch: int = 8
    seed: int = 0

    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        chance = torch.Generator().manual_seed(self.seed)
        runs: list[torch.Tensor] = []
        for _ in range(self.samples):
            noise = torch.randn(lens.pixels.shape, generator=chance).to(lens.pixels) * self.noise
            runs.append(self._cells(self._run(lens, targets, lens.pixels + noise)))
        maps = torch.stack(runs)
        return Relevance(maps.mean(dim=0), maps.std(dim=0) if self.samples > 1 else None)

    def _run(self, lens: Lens, targets: Sequence[Target], pixels: torch.Tensor) -> torch.Tensor:
        """targets x s x s: the way from black, by the quadrature of Gauss and Legendre."""
        points, weights = np.polynomial.legendre.leggauss(self.steps)
        shares = torch.tensor((points + 1) / 2, dtype=torch.float32).to(pixels)
        parts = torch.tensor(weights / 2, dtype=torch.float32).to(pixels)
        total = pixels.new_zeros(len(targets), *pixels.shape[1:])
        for some, part in zip(shares.split(self.batch), parts.split(self.batch), strict=True):
            total += self._gradients(lens, targets, some[:, None, None, None] * pixels, part)
        return (total * pixels).sum(dim=1)

    def _gradients(
        self, lens: Lens, targets: Sequence[Target], pixels: torch.Tensor, parts: torch.Tensor
    ) -> torch.Tensor:
        """targets x 3 x s x s: the gradients at some images, weighted and summed."""
        with torch.enable_grad():
            shown = pixels.detach().requires_grad_()
            scores = lens.scores(lens.backbone(shown), targets)
            each = scores.sum(dim=0).unbind()
            grads = [torch.autograd.grad(one, shown, retain_graph=True)[0] for one in each]
        return torch.stack([torch.einsum("n,nchw->chw", parts, one) for one in grads])

    def _cells(self, maps: torch.Tensor) -> torch.Tensor:
        """Sums over cells; the last row and column of cells may be cut off, and what is there is kept."""
        side = maps.shape[-1]
        padded = F.pad(maps, (0, -side % self.cell, 0, -side % self.cell))
        return F.avg_pool2d(padded, self.cell) * self.cell**2
