"""A caption does not end before it has so many tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.generation.controls import FORBIDDEN

if TYPE_CHECKING:
    import torch

__all__ = ["Shortest"]


@dataclass(frozen=True, slots=True)
class Shortest:
    """The end does not count among the `tokens`."""

    tokens: int
    end: int

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 - the shape of a control
        if written.shape[1] < self.tokens:
            logits[:, self.end] = FORBIDDEN
        return logits
