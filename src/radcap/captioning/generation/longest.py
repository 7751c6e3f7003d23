"""A caption ends when it has so many tokens: nothing but the end can follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.generation.controls import FORBIDDEN

if TYPE_CHECKING:
    import torch

__all__ = ["Longest"]


@dataclass(frozen=True, slots=True)
class Longest:
    """The end does not count among the `tokens`, and keeps the value it has."""

    tokens: int
    end: int

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 - the shape of a control
        if written.shape[1] >= self.tokens:
            end = logits[:, self.end].clone()
            logits.fill_(FORBIDDEN)[:, self.end] = end
        return logits
