"""Vectors of tokens, in and out of a decoder, and of their places.

Invariant: one matrix serves both ways and is saved once; a caption has no more places than were learnt.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.core import UsageError

__all__ = ["Places", "Words"]

_MARKS = 2  # begin and end


class Words(nn.Module):
    """A vector and a bias for each token: size (width + 1) weights.

    `spread` is that of the vectors on the way in at first. Where a decoder passes its input on to its output,
    the matrix that serves both ways speaks for the token that came in, the louder the wider they are spread.
    """

    def __init__(self, size: int, width: int, spread: float = 1.0) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.empty(size, width))
        self.bias = nn.Parameter(torch.zeros(size))
        self.scale = math.sqrt(width)
        nn.init.normal_(self.vectors, 0, spread / self.scale)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Vectors on the way in: ... x width."""
        return F.embedding(tokens, self.vectors) * self.scale

    def logits(self, values: torch.Tensor) -> torch.Tensor:
        """The way out, in single precision: ... x size."""
        return F.linear(values, self.vectors, self.bias).float()


class Places(nn.Module):
    """A vector for each place that a token may have, the marks with them."""

    def __init__(self, longest: int, width: int, spread: float) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.empty(longest + _MARKS, width))
        self.scale = math.sqrt(width)
        nn.init.normal_(self.vectors, 0, spread / self.scale)

    def forward(self, first: int, last: int) -> torch.Tensor:
        """Those from `first` up to, and without, `last`."""
        return self.vectors[first : self.checked(last)] * self.scale

    def checked(self, tokens: int) -> int:
        """So many tokens, where there are places for them."""
        if tokens > len(self.vectors):
            most = len(self.vectors) - _MARKS
            raise UsageError(
                f"{tokens} tokens are asked for, and this decoder knows captions of {most} and two marks. "
                f"Give {most} or less as [generate] longest, or train with a larger [decoder] longest."
            )
        return tokens
