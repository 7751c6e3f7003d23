"""What is learnt, and what it is judged by.

Invariant: a lesson gives the loss of some places of its data, with chance or without; an exam gives what a
network in evaluation mode is worth on data that was held out. The loop knows nothing else of either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from radcap.vision.losses import InnerLoss
from radcap.vision.training.predicting import best_sample_f1, held_loss, predicted

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch
    from torch import nn

    from radcap.vision.heads import Taught
    from radcap.vision.losses import Loss
    from radcap.vision.pictures import Chance
    from radcap.vision.training.devices import Place
    from radcap.vision.training.feeds import Feed
    from radcap.vision.training.teaching import Teacher

__all__ = ["Exam", "LabelExam", "LabelLesson", "Lesson"]


class Lesson(Protocol):
    """`labels` has a row for each place, and is what a balanced sampler looks at."""

    @property
    def labels(self) -> torch.Tensor: ...
    def __len__(self) -> int: ...
    def loss(self, module: Callable[..., Any], places: torch.Tensor, chance: Chance) -> torch.Tensor: ...


class Exam(Protocol):
    """The loss on what was held out, and a score that is better where it is more, if there is one."""

    def __call__(self, network: nn.Module) -> tuple[float, float | None]: ...


@dataclass(frozen=True)
class LabelLesson:
    """Labels of images, perhaps with a teacher's answers."""

    feed: Feed
    criterion: Loss
    place: Place
    teacher: Teacher | None = None
    inside: bool = False  # whether the head or the loss wants more than logits

    @property
    def labels(self) -> torch.Tensor:
        return self.feed.labels

    def __len__(self) -> int:
        return len(self.feed)

    def loss(self, module: Callable[..., Any], places: torch.Tensor, chance: Chance) -> torch.Tensor:
        images, labels = self.feed.batch(places, chance)
        with self.place.autocast():
            if self.inside:
                taught: Taught = module(images, labels)
                logits, own = taught.logits, self._inside(taught, labels, chance.epoch)
            else:
                logits = module(images).float()
                own = self.criterion(logits, labels)
            return own if self.teacher is None else self.teacher.loss(logits, images, own)

    def _inside(self, taught: Taught, labels: torch.Tensor, epoch: int) -> torch.Tensor:
        """The loss on the labels, and what the head has to say of itself."""
        criterion = self.criterion
        if isinstance(criterion, InnerLoss):
            return criterion.inner(taught, labels, epoch) + taught.own
        return criterion(taught.logits, labels) + taught.own


@dataclass(frozen=True)
class LabelExam:
    """Loss and F1 of the labels of held-out images."""

    held: Feed
    place: Place

    def __call__(self, network: nn.Module) -> tuple[float, float | None]:
        labels = self.held.labels
        logits = predicted(network, self.held, self.place)
        return held_loss(logits, labels), best_sample_f1(logits, labels)
