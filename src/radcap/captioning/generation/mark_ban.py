"""Some tokens are never written: the marks, whatever a decoder thinks of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.generation.controls import FORBIDDEN

if TYPE_CHECKING:
    import torch

__all__ = ["MarkBan"]


@dataclass(frozen=True, slots=True)
class MarkBan:
    """The tokens that are forbidden everywhere."""

    tokens: tuple[int, ...]

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 - the shape of a control
        for token in self.tokens:
            logits[:, token] = FORBIDDEN
        return logits
