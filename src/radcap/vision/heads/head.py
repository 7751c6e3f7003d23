"""What a head is, and how one is had by its name.

Invariant: `embed` gives the vector an image is compared by, `score` its logits, in the order of the labels.
Called with labels, a head teaches: it gives all that a loss may look at (`Taught`), its own loss among it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.blocks import HEADS
from radcap.vision.heads.critic import Critic
from radcap.vision.heads.pooling import make_pool

if TYPE_CHECKING:
    from radcap.vision.settings import HeadSettings

__all__ = ["Head", "LabelFacts", "LinearHead", "MlpHead", "Taught", "make_head"]


@dataclass(frozen=True)
class LabelFacts:
    """What is known of the labels before training: a head meets them once, and remembers in its weights."""

    shares: torch.Tensor  # the part of the training images that has each label
    kinds: tuple[str, ...]  # the semantic group of each label, "" where it is not known
    ranks: torch.Tensor  # the place of each label in a list: modality, then anatomy, then the rest


class Taught(NamedTuple):
    """What a training step sees of a network: logits, vectors, the head's own loss, vectors of concepts."""

    logits: torch.Tensor
    vectors: torch.Tensor
    own: torch.Tensor
    concepts: torch.Tensor | None = None


class Head(nn.Module):
    """A pooling, and what follows it; a critic and a count beside it where they are asked for."""

    looks_at_places = False  # whether more is used of a feature map than what the pooling makes of it
    learns_by_logits = True  # whether a loss, a critic and a teacher can look at what it says while it learns

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__()
        self.pool = make_pool(settings.pool)
        self.count_weight = settings.count_weight
        self.counter = nn.Linear(width, 1) if settings.count else None
        self.critic = Critic(labels, settings.critic, settings.critic_weight) if settings.critic else None

    @property
    def teaches(self) -> bool:
        """Whether a loss must hear what the head says of itself."""
        return self.counter is not None or self.critic is not None

    def meet(self, facts: LabelFacts) -> None:
        """Learn of the labels, before training; what is remembered lies in buffers."""

    def embed(self, features: torch.Tensor) -> torch.Tensor:
        return self.pool(features)

    def score(self, features: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError

    def concept_vectors(self) -> torch.Tensor | None:
        """A vector for each label, where the head has such."""
        return None

    def forward(self, features: torch.Tensor, labels: torch.Tensor | None = None) -> torch.Tensor | Taught:
        return self.score(features) if labels is None else self.teach(features, labels)

    def teach(self, features: torch.Tensor, labels: torch.Tensor) -> Taught:
        """What a loss may look at."""
        logits, vectors = self.score(features).float(), self.embed(features).float()
        return Taught(logits, vectors, self.own_loss(logits, vectors, labels), self.concept_vectors())

    def own_loss(self, logits: torch.Tensor, vectors: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Of the count and the critic."""
        own = logits.new_zeros(())
        if self.counter is not None:
            counted = self.counter(vectors).squeeze(1).float()
            own = own + self.count_weight * F.smooth_l1_loss(counted, labels.sum(dim=1).float())
        if self.critic is not None:
            own = own + self.critic.loss(logits, labels)
        return own


class LinearHead(Head):
    """One layer over the pooled features."""

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__(settings, width, labels)
        self.drop = nn.Dropout(settings.drop)
        self.linear = nn.Linear(width, labels)

    def score(self, features: torch.Tensor) -> torch.Tensor:
        return self.linear(self.drop(self.embed(features)))


class MlpHead(Head):
    """Layers with ReLU and dropout over the pooled features, as DeepLens 2025 has them."""

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__(settings, width, labels)
        self.layers = make_layers(settings, width, labels)

    def score(self, features: torch.Tensor) -> torch.Tensor:
        return self.layers(self.embed(features))


def make_layers(settings: HeadSettings, width: int, out: int) -> nn.Sequential:
    """Layers of the widths that a head has hidden, and one to what comes out."""
    layers: list[nn.Module] = []
    for hidden in settings.hidden:
        layers += [nn.Linear(width, hidden), nn.ReLU(), nn.Dropout(settings.drop)]
        width = hidden
    return nn.Sequential(*layers, nn.Linear(width, out))


def make_head(settings: HeadSettings, width: int, labels: int) -> Head:
    """The head of a kind over so many features, or over the queries of a bridge that looks at them."""
    if settings.bridge.queries:
        from radcap.vision.heads.bridged import make_bridged

        return make_bridged(settings, width, labels)
    return cast("Head", HEADS.factory(settings.kind)(settings, width, labels))
