"""What writes a list of concepts, one after the other, while it looks at an image.

Tokens are the labels by number, then the end of a list, then its beginning. The memory is the image: a vector
of the whole first, then one for each place. Invariant: a list read at once (`forward`) and token by token
(`start`, `step`) gives the same vectors; beams of an image share its memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import torch
from torch import nn

if TYPE_CHECKING:
    from typing import Self

    from radcap.vision.settings import HeadSettings

__all__ = ["Decoder", "State", "make_decoder", "taken"]


class State(Protocol):
    """What a decoder holds of each beam (n x beams)."""

    def take(self, rows: torch.Tensor) -> Self:
        """The state of these beams (n x beams), by their number among those of their image."""
        ...


S = TypeVar("S", bound=State)


class Decoder(nn.Module, ABC, Generic[S]):
    """From tokens to vectors, by which the next tokens are told."""

    def __init__(self, settings: HeadSettings, labels: int) -> None:
        super().__init__()
        self.words = nn.Embedding(labels + 2, settings.width)
        nn.init.normal_(self.words.weight, 0, settings.width**-0.5)
        self.drop = nn.Dropout(settings.drop)

    @abstractmethod
    def forward(self, tokens: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """Lists (n x length) that are known, to n x length x width; no place sees what comes after it."""
        ...

    @abstractmethod
    def start(self, memory: torch.Tensor) -> S:
        """Before the first token: one beam for each image."""
        ...

    @abstractmethod
    def step(self, tokens: torch.Tensor, state: S) -> tuple[torch.Tensor, S]:
        """A further token for each beam (n x beams), to n x beams x width and what is held then."""
        ...


def make_decoder(settings: HeadSettings, labels: int) -> Decoder[Any]:
    """The decoder that the settings name."""
    if settings.decoder == "transformer":
        from radcap.vision.heads.sequence_transformer import TransformerDecoder

        return TransformerDecoder(settings, labels)
    from radcap.vision.heads.sequence_recurrent import RecurrentDecoder

    return RecurrentDecoder(settings, labels)


def taken(held: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Of n x beams x anything, the beams of these numbers."""
    return held[torch.arange(len(rows), device=rows.device)[:, None], rows]
