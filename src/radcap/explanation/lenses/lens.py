"""One image in one network, as every method sees it: pixels, a feature map, scores of targets.

Invariant: `scores` can be derived by the feature map, and over the features of `pixels` gives the scores that
the model decided by (to rounding). `chances` goes the whole way from pixels, decisions in between included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from radcap.explanation.lenses.frame import Frame
    from radcap.explanation.targets import Target
    from radcap.vision.backbones import Backbone

__all__ = ["Lens"]


class Lens(Protocol):
    """A network with an image before it."""

    @property
    def backbone(self) -> Backbone:
        """From pixels (n x 3 x s x s, 0 to 255) to a feature map (n x width x h x w)."""
        ...

    @property
    def pixels(self) -> torch.Tensor:
        """The image as the network sees it: 1 x 3 x s x s, 0 to 255."""
        ...

    @property
    def frame(self) -> Frame:
        """Where the picture lies in those pixels."""
        ...

    def scores(self, features: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        """n x targets: logits of concepts, log-probabilities of spans, likeness to neighbours."""
        ...

    def chances(self, pixels: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        """n x targets, 0 to 1, without gradients: how probable each statement is for these pixels."""
        ...
