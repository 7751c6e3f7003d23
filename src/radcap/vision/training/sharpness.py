"""Sharpness-aware minimisation (Foret et al. 2021): the slope is taken where the loss is worst nearby.

Invariant: both slopes of a step are of the same images, varied alike, and of the same dropout; after it the
weights and the statistics of norms are those that they were at, to the last bit.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Generator

    from radcap.vision.pictures import Chance
    from radcap.vision.training.learner import Learner
    from radcap.vision.training.lessons import Lesson

__all__ = ["climbed", "sharp_slope", "twin"]

_LEAST = 1e-12


def sharp_slope(
    learner: Learner, lesson: Lesson, places: torch.Tensor, chance: Chance, radius: float
) -> torch.Tensor:
    """Leave the slope at the worst place within a radius; the loss where the weights are."""
    cards = [chance.device] if chance.device.type == "cuda" else []
    with torch.random.fork_rng(cards, device_type="cuda"):
        value = lesson.loss(learner.module, places, twin(chance))
        value.backward()
    with climbed(learner.network, radius):
        lesson.loss(learner.module, places, chance).backward()
    return value


def twin(chance: Chance) -> Chance:
    """What will draw the same lots."""
    lots = torch.Generator(chance.device)
    lots.set_state(chance.lots.get_state())
    return replace(chance, lots=lots, betas=deepcopy(chance.betas))


@contextmanager
def climbed(network: nn.Module, radius: float) -> Generator[None]:
    """The network with its weights moved up its slope, which is then forgotten."""
    weights = [one for one in network.parameters() if one.grad is not None]
    slopes = [one.grad for one in weights if one.grad is not None]
    before = [one.detach().clone() for one in (*weights, *network.buffers())]
    with torch.no_grad():
        step = radius / (nn.utils.get_total_norm(slopes) + _LEAST)
        for weight, slope in zip(weights, slopes, strict=True):
            weight.addcmul_(slope, step.to(slope))
    for weight in weights:
        weight.grad = None
    try:
        yield
    finally:
        with torch.no_grad():
            for value, old in zip((*weights, *network.buffers()), before, strict=True):
                value.copy_(old)
