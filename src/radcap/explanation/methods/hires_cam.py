"""HiResCAM (Draelos and Carin, 2020): gradient times feature, place by place.

Invariant: over a mean pooling and a linear layer the map sums to the logit less its bias: it is the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.explanation.methods.gradients import features_and_gradients
from radcap.explanation.methods.method import Relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["HiResCam"]


@dataclass(frozen=True, slots=True)
class HiResCam:
    """Places that speak against the target are below zero."""

    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        features, gradients = features_and_gradients(lens, targets)
        return Relevance((gradients * features).sum(dim=1))
