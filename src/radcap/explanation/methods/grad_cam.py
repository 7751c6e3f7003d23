"""Grad-CAM (Selvaraju and others, 2017): channels weighted by their mean gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.explanation.methods.gradients import features_and_gradients
from radcap.explanation.methods.method import Relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["GradCam"]


@dataclass(frozen=True, slots=True)
class GradCam:
    """What speaks against the target is left out, as in the paper."""

    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        features, gradients = features_and_gradients(lens, targets)
        weights = gradients.mean(dim=(2, 3), keepdim=True)
        return Relevance((weights * features).sum(dim=1).relu())
