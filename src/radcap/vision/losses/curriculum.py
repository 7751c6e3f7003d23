"""Easy labels first (experiments of AUEB 2025): BCE over the labels let in so far.

How hard a label is comes in equal parts from how badly it is found after some warm epochs and from how hard
the labels are that it is seen with. The easiest come first, and from the middle of the rest on all are in.

Invariant: which labels count depends on how hard they are and on the epoch alone, so a training that goes on
after a kill lets in what it would have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from radcap.vision.heads import Taught
    from radcap.vision.settings import LossSettings

__all__ = ["CurriculumLoss", "label_difficulty", "make_curriculum"]

_COMPANY = 0.5  # how much the labels count that a label is seen with
_SURE = 0.5  # from this probability on a label is said


@dataclass(frozen=True, eq=False)
class CurriculumLoss:
    """`ranks` is the place of each label from easy to hard; without it every label counts."""

    settings: LossSettings
    shares: torch.Tensor
    ranks: torch.Tensor | None = None
    epochs: int = 0  # over which labels are let in

    def knowing(self, difficulty: torch.Tensor, epochs: int) -> CurriculumLoss:
        """The loss after the warm epochs; of equally hard labels the more frequent comes first."""
        by_share = torch.argsort(self.shares.to(difficulty.device), descending=True, stable=True)
        order = by_share[torch.argsort(difficulty[by_share], stable=True)]
        return replace(self, ranks=torch.argsort(order), epochs=epochs)

    def let_in(self, epoch: int, labels: int) -> int:
        """How many labels count in an epoch."""
        if 2 * (epoch + 1) > self.epochs:
            return labels
        first, steps = self.settings.first, math.ceil(self.epochs / 2 / self.settings.every)
        share = first + (1 - first) * (epoch // self.settings.every) / steps
        return max(1, math.ceil(share * labels))

    def __call__(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """With every label."""
        return F.binary_cross_entropy_with_logits(logits, self._smooth(labels))

    def inner(self, taught: Taught, labels: torch.Tensor, epoch: int) -> torch.Tensor:
        if self.ranks is None:
            return self(taught.logits, labels)
        n, count = len(labels), self.let_in(epoch, labels.shape[1])
        each = F.binary_cross_entropy_with_logits(taught.logits, self._smooth(labels), reduction="none")
        return (each * (self.ranks < count)).sum() / (n * count)

    def _smooth(self, labels: torch.Tensor) -> torch.Tensor:
        return labels * (1 - self.settings.smoothing) + self.settings.smoothing / 2


def make_curriculum(settings: LossSettings, shares: torch.Tensor) -> CurriculumLoss:
    """The loss of a system file, before anything is known of how hard labels are."""
    return CurriculumLoss(settings, shares)


def label_difficulty(logits: torch.Tensor, labels: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    """How hard each label is: by logits for images with `labels`, and by the company it has in `seen`.

    1 - F1, where what is neither there nor said is as hard as what is always missed. Company is weighed by a
    softmax over the shares of a label's images that have the other one too.
    """
    said, truth = torch.sigmoid(logits) >= _SURE, labels.bool()
    f1 = 2 * (said & truth).sum(dim=0) / (said.sum(dim=0) + truth.sum(dim=0)).clamp(min=1)
    own, seen = 1 - f1, seen.float()
    together = seen.T @ seen
    shares = together / together.diagonal().clamp(min=1)[:, None]
    company = (together > 0) & ~torch.eye(len(own), dtype=torch.bool, device=own.device)
    weights = torch.where(company, shares.exp(), 0.0)
    others = (weights @ own) / weights.sum(dim=1).clamp(min=1)  # an exponential of a share is 1 or more
    return torch.where(company.any(dim=1), (1 - _COMPANY) * own + _COMPANY * others, own)
