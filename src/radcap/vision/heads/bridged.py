"""A head over the queries of a bridge: they look at the feature map, and the head at them.

Pooled by their mean they are what AI Stat Lab 2025 names concepts by. Invariant: the vector an image is
compared by stays that of the backbone (the mean of its map), whatever the queries are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.vision.bridge import make_bridge
from radcap.vision.heads.head import Head, make_head
from radcap.vision.settings import BridgeSettings, HeadSettings

if TYPE_CHECKING:
    import torch

    from radcap.vision.bridge import AnyBridge
    from radcap.vision.heads.head import LabelFacts, Taught

__all__ = ["BridgedHead", "make_bridged"]


class BridgedHead(Head):
    """`inner` takes the queries for a feature map."""

    looks_at_places = True

    def __init__(self, bridge: AnyBridge, inner: Head) -> None:
        super().__init__(HeadSettings(), bridge.width, 1)
        self.bridge = bridge
        self.inner = inner
        self.learns_by_logits = inner.learns_by_logits

    @property
    def teaches(self) -> bool:
        return self.inner.teaches

    def meet(self, facts: LabelFacts) -> None:
        self.inner.meet(facts)

    def score(self, features: torch.Tensor) -> torch.Tensor:
        return self.inner.score(self.bridge(features))

    def concept_vectors(self) -> torch.Tensor | None:
        return self.inner.concept_vectors()

    def teach(self, features: torch.Tensor, labels: torch.Tensor) -> Taught:
        return self.inner.teach(self.bridge(features), labels)


def make_bridged(settings: HeadSettings, width: int, labels: int) -> BridgedHead:
    """The head of the settings over the bridge of the settings."""
    bridge = make_bridge(settings.bridge, width)
    inner = make_head(replace(settings, bridge=BridgeSettings()), bridge.width, labels)
    return BridgedHead(bridge, inner)
