"""Attention that adds: what is asked for and what there is meet in one layer of tanh.

Bahdanau and others (2015), as Show, Attend and Tell uses it. Invariant: the weights of what is there sum to
one, those of the rest are zero.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from radcap.captioning.decoders.memory import Memory

__all__ = ["AdditiveAttention", "Asked"]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Keys and values of a memory, n x m x width, and what is not there, n x m."""

    keys: torch.Tensor
    values: torch.Tensor
    away: torch.Tensor

    def take(self, rows: torch.Tensor) -> Asked:
        return Asked(*(part.index_select(0, rows) for part in (self.keys, self.values, self.away)))


class AdditiveAttention(nn.Module):
    """2 width² + 2 width weights."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key = nn.Linear(width, width)
        self.query = nn.Linear(width, width, bias=False)
        self.score = nn.Linear(width, 1, bias=False)
        self.shares = nn.Identity()  # where the weights can be looked at

    def see(self, memory: Memory) -> Asked:
        return Asked(self.key(memory.values), memory.values, ~memory.there)

    def forward(self, question: torch.Tensor, asked: Asked) -> torch.Tensor:
        """The values that answer a question (n x width): n x width."""
        meeting = torch.tanh(asked.keys + self.query(question)[:, None])
        scores = self.score(meeting)[..., 0].masked_fill(asked.away, -torch.inf)
        shares = self.shares(scores.softmax(-1))
        return torch.bmm(shares[:, None], asked.values)[:, 0]
