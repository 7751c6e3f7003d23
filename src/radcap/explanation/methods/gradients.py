"""The feature map of an image, and how each target's score changes with it.

Invariant: one look at the image and one way back serve all targets: each has a row of its own.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["features_and_gradients"]


def features_and_gradients(lens: Lens, targets: Sequence[Target]) -> tuple[torch.Tensor, torch.Tensor]:
    """The features (1 x width x h x w) and the gradients of the scores (targets x width x h x w)."""
    with torch.no_grad():
        features = lens.backbone(lens.pixels).float()
    with torch.enable_grad():
        rows = features.repeat(len(targets), 1, 1, 1).requires_grad_()
        own = lens.scores(rows, targets).diagonal().sum()
        (gradients,) = torch.autograd.grad(own, rows)
    return features, gradients
