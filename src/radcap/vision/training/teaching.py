"""Learning from other models' answers (Hinton et al. 2015; Beyer et al. 2022: on the same views).

Invariant: teachers see exactly the images the student sees, mixed and varied alike, scaled to their own size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Teacher"]


@dataclass(frozen=True)
class Teacher:
    """Networks in evaluation mode with the size each wants, and how much their mean answer counts."""

    networks: Sequence[tuple[Callable[[torch.Tensor], torch.Tensor], int]]
    weight: float
    temperature: float = 1.0

    @torch.no_grad()
    def answer(self, images: torch.Tensor) -> torch.Tensor:
        """The mean logit."""
        logits = [network(_sized(images, size)) for network, size in self.networks]
        return torch.stack(logits).mean(dim=0)

    def loss(self, logits: torch.Tensor, images: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """The loss on the labels and that on the teachers' probabilities, weighed."""
        wanted = torch.sigmoid(self.answer(images).float() / self.temperature)
        taught = F.binary_cross_entropy_with_logits(logits / self.temperature, wanted)
        return (1 - self.weight) * own + self.weight * self.temperature**2 * taught


def _sized(images: torch.Tensor, size: int) -> torch.Tensor:
    if images.shape[-1] == size:
        return images
    return F.interpolate(images, size=(size, size), mode="bilinear", antialias=True, align_corners=False)
