"""From cached squares to what the network is shown.

Invariant: without chance a picture is always seen the same way; the result is float, 0 to 255, channels last
in memory, three channels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.vision.pictures.framing import frames, sampled, varied
from radcap.vision.pictures.light import relit

if TYPE_CHECKING:
    from radcap.vision.pictures.chance import Chance
    from radcap.vision.settings import ImageSettings

__all__ = ["View"]

_COLOURS = 3


@dataclass(frozen=True)
class View:
    """The way from squares (n x side x side x channels, uint8) and their boxes to images of a size."""

    settings: ImageSettings

    @property
    def side(self) -> int:
        """How wide the cached squares are."""
        return round(self.settings.size * self.settings.load)

    @property
    def channels(self) -> int:
        return 1 if self.settings.grey else _COLOURS

    def __call__(
        self, squares: torch.Tensor, boxes: torch.Tensor, chance: Chance | None = None, *, half: bool = False
    ) -> torch.Tensor:
        """The centre of each picture, or, with chance, a view of it that is drawn by lot."""
        kind = torch.float16 if half else torch.float32
        images = squares.permute(0, 3, 1, 2).to(kind)
        if chance is not None or not self.is_square_itself:
            images = self._framed(images, boxes, chance)
        if chance is not None:
            images = relit(images, self.settings.augment, chance)
        if images.shape[1] != _COLOURS:
            images = images.expand(-1, _COLOURS, -1, -1)
        return images.contiguous(memory_format=torch.channels_last)

    def _framed(self, images: torch.Tensor, boxes: torch.Tensor, chance: Chance | None) -> torch.Tensor:
        settings = self.settings
        frame = frames(boxes, images.shape[-1], settings.fit)
        augment = None if chance is None else settings.augment
        return sampled(images, varied(frame, settings.load, augment, chance), settings.size)

    @property
    def is_square_itself(self) -> bool:
        """A letterboxed picture fills its square, so nothing is left to sample."""
        return self.settings.fit == "pad" and self.settings.load == 1 and not self.settings.trim
