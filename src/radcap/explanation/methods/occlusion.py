"""Occlusion (Zeiler and Fergus, 2014): what a score loses when a part of the image is covered.

Invariant: the model is only asked, so this serves any of them: a concept's logit as well as the likelihood of
the words of a caption. Every pixel is covered equally often; `spread` is how much two kinds of cover
disagree.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.explanation.methods.method import Relevance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["Occlusion"]

_COARSE = 6  # cells that are left of an image in a blur


@dataclass(frozen=True, slots=True)
class Occlusion:
    """A cover of `patch` by `patch` cells goes over a grid of `grid` by `grid`, cell by cell.

    What lies under it is blurred (`blur`) or the mean grey of the image (`mean`).
    """

    grid: int = 7
    patch: int = 2
    covers: tuple[str, ...] = ("blur",)
    batch: int = 4  # whose layers stay in the cache of a processor

    @torch.no_grad()
    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        whole = lens.scores(lens.backbone(lens.pixels).float(), targets)
        fills = [_FILLS[name](lens.pixels) for name in self.covers]
        losses = torch.stack([self._losses(lens, targets, whole, fill) for fill in fills])
        covers = self._covers().to(losses)
        maps = torch.einsum("fpt,phw->fthw", losses, covers) / covers.sum(dim=0)
        spread = maps.std(dim=0, correction=0) if len(fills) > 1 else None
        return Relevance(maps.mean(dim=0), spread)

    def _covers(self) -> torch.Tensor:
        """covers x grid x grid, 1 where one lies; some reach over the edge: no cell is covered less often."""
        reach = torch.arange(1 - self.patch, self.grid)
        cells = torch.arange(self.grid)
        lines = ((cells >= reach[:, None]) & (cells < reach[:, None] + self.patch)).float()
        return (lines[:, None, :, None] * lines[None, :, None, :]).flatten(0, 1)

    def _losses(
        self, lens: Lens, targets: Sequence[Target], whole: torch.Tensor, fill: torch.Tensor
    ) -> torch.Tensor:
        """covers x targets."""
        found = [whole - lens.scores(lens.backbone(some), targets) for some in self._covered(lens, fill)]
        return torch.cat(found)

    def _covered(self, lens: Lens, fill: torch.Tensor) -> Iterator[torch.Tensor]:
        for some in self._covers().to(lens.pixels).split(self.batch):
            masks = F.interpolate(some[:, None], lens.pixels.shape[-1], mode="nearest")
            yield (lens.pixels * (1 - masks) + fill * masks).float()


def _mean(pixels: torch.Tensor) -> torch.Tensor:
    """The mean grey of the image."""
    return pixels.mean(dim=(2, 3), keepdim=True).expand_as(pixels)


def _blur(pixels: torch.Tensor) -> torch.Tensor:
    """The image without anything fine."""
    return F.interpolate(F.adaptive_avg_pool2d(pixels, _COARSE), pixels.shape[-1], mode="bilinear")


_FILLS = {"blur": _blur, "mean": _mean}
