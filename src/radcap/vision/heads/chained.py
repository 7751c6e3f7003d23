"""Blocks of labels one after another, the most frequent first (VCMI 2023: autoregressive).

Each block sees the features and what the blocks before it came to.
Invariant: logits of a block depend on the features and on earlier blocks alone. Blocks are places in the
order of frequency, which lies in a buffer, so a saved head needs no facts to be loaded.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import nn

from radcap.vision.heads.head import Head

if TYPE_CHECKING:
    from radcap.vision.heads.head import LabelFacts
    from radcap.vision.settings import HeadSettings

__all__ = ["ChainedHead"]


class ChainedHead(Head):
    """logits_g = W_g x + b_g + C_g sigmoid(logits before g)."""

    order: torch.Tensor  # labels, the most frequent first

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__(settings, width, labels)
        blocks = min(settings.groups, labels)
        cuts = [place * labels // blocks for place in range(blocks + 1)]
        self.spans = tuple(pairwise(cuts))
        self.drop = nn.Dropout(settings.drop)
        self.linear = nn.Linear(width, labels)  # in the order of the labels
        self.links = nn.ModuleList(nn.Linear(start, end - start, bias=False) for start, end in self.spans[1:])
        for link in self.links:
            nn.init.zeros_(link.get_parameter("weight"))  # first guesses are noise, which would be passed on
        self.register_buffer("order", torch.arange(labels))

    def meet(self, facts: LabelFacts) -> None:
        self.order.copy_(torch.argsort(facts.shares.cpu(), descending=True, stable=True))

    def score(self, features: torch.Tensor) -> torch.Tensor:
        plain = self.linear(self.drop(self.embed(features)))[:, self.order]
        done = plain[:, slice(*self.spans[0])]
        for (start, end), link in zip(self.spans[1:], self.links, strict=True):
            done = torch.cat((done, plain[:, start:end] + link(torch.sigmoid(done))), dim=1)
        return done[:, torch.argsort(self.order)]
