"""The steps of one epoch.

Invariant: they depend on the weights before them and on (seed, epoch) alone. The device is waited for only
when the loss is looked at, which is seldom.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn

from radcap.vision.pictures import Chance
from radcap.vision.training.optimisers import set_rate
from radcap.vision.training.sampling import epoch_batches
from radcap.vision.training.schedule import rate_factor
from radcap.vision.training.sharpness import sharp_slope

if TYPE_CHECKING:
    from radcap.vision.settings import TrainSettings
    from radcap.vision.training.devices import Place
    from radcap.vision.training.learner import Learner
    from radcap.vision.training.lessons import Lesson

__all__ = ["Steps", "take_steps"]

_LOOK = 50  # steps between looks at the loss: each look waits for the device


@dataclass(frozen=True, slots=True)
class Steps:
    """What the steps of an epoch came to: mean loss, last rate, time, images of all processes."""

    loss: float
    lr: float
    seconds: float
    images: int


def take_steps(learner: Learner, lesson: Lesson, settings: TrainSettings, place: Place) -> Steps | None:
    """The next epoch, or None where the loss became no number; the weights are then of no use."""
    number = len(learner.history.rows)
    torch.manual_seed((settings.seed * 1_000_003 + number * 1_009 + place.rank) % 2**63)  # for dropout
    chance = Chance.of(settings.seed + 7_919 * place.rank, number, place.device)
    batches = epoch_batches(lesson.labels, settings, number, place)
    learner.network.train()
    started, rate = time.monotonic(), 0.0
    total = torch.zeros((), device=place.device)
    for step, places in enumerate(batches, 1):
        done = number + (step - 1) / len(batches)
        rate = settings.lr * rate_factor(settings, done, learner.history)
        set_rate(learner.optimiser, rate)
        value = _slope(learner, lesson, places, chance, settings.sam)
        _follow(learner, settings.clip_grad)
        total += value.detach()
        is_looked_at = step % _LOOK == 0 or step == len(batches)
        if is_looked_at and not torch.isfinite(place.mean(total)):
            return None
    loss = float(place.mean(total)) / len(batches)
    seen = sum(len(places) for places in batches) * place.world
    return Steps(loss, rate, time.monotonic() - started, seen)


def _slope(
    learner: Learner, lesson: Lesson, places: torch.Tensor, chance: Chance, radius: float
) -> torch.Tensor:
    """Leave the slope with the weights; the loss."""
    if radius:
        return sharp_slope(learner, lesson, places, chance, radius)
    value = lesson.loss(learner.module, places, chance)
    value.backward()
    return value


def _follow(learner: Learner, clip: float) -> None:
    """One step down the slope."""
    if clip:
        nn.utils.clip_grad_norm_(learner.network.parameters(), clip)
    learner.optimiser.step()
    learner.optimiser.zero_grad(set_to_none=True)
    if learner.average is not None:
        learner.average.follow()
