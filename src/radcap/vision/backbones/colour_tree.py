"""Quad-tree bags of colours (IPL 2017).

Invariant: the palette is learnt from the pixels of the training images and lies in a buffer, at the precision
a model is stored with. Radiology images are grey but for Doppler and drawings, so most of a palette are grey
levels, and a bag of colours is then a histogram of brightness over the parts of the image.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.backbones.backbone import Backbone
from radcap.vision.backbones.k_means import k_means, nearest
from radcap.vision.backbones.quad_tree import cells_of, finest_cells, tree_histograms
from radcap.vision.backbones.reservoir import drawn_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from radcap.vision.settings import BackboneSettings

__all__ = ["ColourCounter", "ColourTree", "make_colour_tree"]

_SIDE = 64  # larger images are made so small first: colours are those of areas, not of noise
_DRAWN = 100_000  # pixels that the palette is learnt from


def make_colour_tree(settings: BackboneSettings, *, size: int) -> ColourTree:  # noqa: ARG001 - any size will do
    """The backbone `colour-tree`, before it has learnt its palette."""
    return ColourTree(ColourCounter(settings.words, settings.levels))


class ColourCounter(nn.Module):
    """From pixels of 0 to 1 to histograms, n x width x 1 x 1."""

    palette: torch.Tensor

    def __init__(self, words: int, levels: int) -> None:
        super().__init__()
        self.words, self.levels = words, levels
        self.width = words * cells_of(levels)
        self.register_buffer("palette", torch.zeros(words, 3))

    @torch.no_grad()
    def forward(self, images: torch.Tensor) -> torch.Tensor:
        with torch.autocast(images.device.type, enabled=False):  # half precision takes one colour for another
            small = _small(images.float())
            colours = nearest(_pixels(small), self.palette).view(len(images), small.shape[2:].numel())
            down, right = ((torch.arange(size) + 0.5) / size for size in small.shape[-2:])
            cells = finest_cells(down, right, self.levels).to(images.device)
            found = tree_histograms(colours, cells.expand_as(colours), self.words, self.levels)
        return found[:, :, None, None]


class ColourTree(Backbone):
    """A colour counter over pixels."""

    body: ColourCounter

    def __init__(self, body: ColourCounter) -> None:
        super().__init__(body, body.width, [0.0] * 3, [255.0] * 3)

    @torch.no_grad()
    def learn(self, images: Callable[[], Iterator[torch.Tensor]], seed: int) -> None:
        """The palette: centres of the colours of the training images."""
        batches = (_pixels(_small(batch / 255)) for batch in images())
        palette = k_means(drawn_rows(batches, _DRAWN, seed), self.body.words, seed)
        self.body.palette.copy_(palette.half())


def _small(images: torch.Tensor) -> torch.Tensor:
    high, wide = (min(size, _SIDE) for size in images.shape[-2:])
    return F.adaptive_avg_pool2d(images, (high, wide))


def _pixels(images: torch.Tensor) -> torch.Tensor:
    """Each pixel of each image, row by row: one colour a row."""
    return images.flatten(2).transpose(1, 2).flatten(0, 1)
