"""LayerCAM (Jiang and others, 2021): features weighted by their own gradient, where it is above zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.explanation.methods.gradients import features_and_gradients
from radcap.explanation.methods.method import Relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["LayerCam"]


@dataclass(frozen=True, slots=True)
class LayerCam:
    """What speaks against the target is left out, as in the paper."""

    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        features, gradients = features_and_gradients(lens, targets)
        return Relevance((gradients.relu() * features).sum(dim=1).relu())
