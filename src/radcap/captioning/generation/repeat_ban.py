"""No run of n tokens comes twice in a caption.

Invariant: a token is forbidden where the n - 1 tokens before it and the token itself stand in the caption
already.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass

import torch

from radcap.captioning.generation.controls import FORBIDDEN

__all__ = ["RepeatBan"]


@dataclass(frozen=True, slots=True)
class RepeatBan:
    """`n` is 1 or more: with 1 no token comes twice."""

    n: int

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 - the shape of a control
        length = written.shape[1]
        if length < self.n:
            return logits
        runs = written.unfold(1, self.n, 1)  # rows x runs x n
        before = written[:, None, length - self.n + 1 :]
        again = (runs[..., :-1] == before).all(dim=2)
        # A token may end several runs, of which one is met again: the least of its values counts.
        value = torch.where(again, FORBIDDEN, -FORBIDDEN).to(logits.dtype)
        return logits.scatter_reduce_(1, runs[..., -1], value, "amin")
