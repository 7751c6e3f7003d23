"""Bags of visual words over a quad-tree, as the systems of 2017 had them (IPL, MSU, UAPT).

Dense descriptors of patches of 16 and 32 pixels; each is the word it is nearest to; a word is counted in the
image and in its parts.
Invariant: the words are learnt from the training images and lie in a buffer, at the precision a model is
stored with, so a model that was stored counts as it did before. No gradient passes a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from radcap.vision.backbones.backbone import Backbone
from radcap.vision.backbones.dense_descriptors import DESCRIBED, SIDE, centres_along, describe
from radcap.vision.backbones.k_means import k_means, nearest
from radcap.vision.backbones.quad_tree import cells_of, finest_cells, tree_histograms
from radcap.vision.backbones.reservoir import drawn_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from radcap.vision.settings import BackboneSettings

__all__ = ["VisualWords", "WordCounter", "make_visual_words"]

_CELLS = (4, 8)  # pixels: patches are four times as wide
_TOGETHER = 32  # images whose gradients are held at a time
_DRAWN = 100_000  # descriptors that words are learnt from


def make_visual_words(settings: BackboneSettings, *, size: int) -> VisualWords:  # noqa: ARG001 - any size will do
    """The backbone `visual-words`, before it has learnt its words."""
    return VisualWords(WordCounter(settings.words, settings.levels))


class WordCounter(nn.Module):
    """From pixels of 0 to 1 to histograms, n x width x 1 x 1."""

    codebook: torch.Tensor

    def __init__(self, words: int, levels: int) -> None:
        super().__init__()
        self.words, self.levels = words, levels
        self.width = words * cells_of(levels)
        self.register_buffer("codebook", torch.zeros(words, DESCRIBED))

    @torch.no_grad()
    def forward(self, images: torch.Tensor) -> torch.Tensor:
        with torch.autocast(images.device.type, enabled=False):  # half precision takes one word for another
            counted = [self._counted(some.float()) for some in torch.split(images, _TOGETHER)]
        return torch.cat(counted)[:, :, None, None]

    def _counted(self, images: torch.Tensor) -> torch.Tensor:
        found, cells = described(images), self._cells(images)
        words = nearest(found.flatten(0, 1), self.codebook).view(found.shape[:2])
        return tree_histograms(words, cells.expand_as(words), self.words, self.levels)

    def _cells(self, images: torch.Tensor) -> torch.Tensor:
        """The cell of the tree in which each patch lies."""
        high, wide = images.shape[-2:]
        cells = [
            finest_cells(centres_along(high, cell), centres_along(wide, cell), self.levels)
            for cell in _scales(images)
        ]
        return torch.cat(cells).to(images.device)


class VisualWords(Backbone):
    """A word counter over pixels."""

    body: WordCounter

    def __init__(self, body: WordCounter) -> None:
        super().__init__(body, body.width, [0.0] * 3, [255.0] * 3)

    @torch.no_grad()
    def learn(self, images: Callable[[], Iterator[torch.Tensor]], seed: int) -> None:
        """The words: centres of descriptors of the training images."""
        batches = (
            described(some / 255).flatten(0, 1)
            for batch in images()
            for some in torch.split(batch, _TOGETHER)
        )
        words = k_means(drawn_rows(batches, _DRAWN, seed), self.body.words, seed)
        self.body.codebook.copy_(words.half())


def described(images: torch.Tensor) -> torch.Tensor:
    """The patches of all scales that fit into the images, as n x patches x 128."""
    grey = images.mean(dim=1)
    return torch.cat([describe(grey, cell) for cell in _scales(images)], dim=1)


def _scales(images: torch.Tensor) -> list[int]:
    return [cell for cell in _CELLS if min(images.shape[-2:]) >= SIDE * cell]
