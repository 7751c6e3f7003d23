"""What a control and a weight are: rules on the next token, for all captions that are being written at once.

Invariant: a control looks at nothing but its arguments, and gives logits of the same shape back: those that
it was given, changed in place (they are large), or others. What it forbids is minus infinity, and what it
leaves alone keeps its value. Captions that are finished may still be among the rows: what is said of them is
not used. A weight changes what is preferred among the tokens that the controls allow, and nothing else: the
probability of a caption stays what the decoder says of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch

__all__ = ["FORBIDDEN", "Control", "Weight"]

FORBIDDEN = float("-inf")


class Control(Protocol):
    """One file a control."""

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """The logits (n x size) after the rule.

        `written` are the tokens so far, n x t without the begin mark; `images` (n) says whose caption it is.
        """
        ...


class Weight(Protocol):
    """What a caption is chosen by beside its probability."""

    def __call__(self, written: torch.Tensor, ruled: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """The values to choose by (n x size), from the log probabilities that the controls left.

        Those stay as they are; what is forbidden there is forbidden here.
        """
        ...
