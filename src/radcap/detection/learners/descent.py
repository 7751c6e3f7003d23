"""Linear models of many labels at once, by L-BFGS (Nocedal 1980): logistic ones, and machines with a margin.

Invariant: each label has a descent of its own (its own directions and lengths of steps), so what comes out
for it depends on the labels beside it no more than by rounding and by when all of them have arrived; a step
never makes it worse. The objective is half the squared
weights, offset aside, and `strength` times the sum of the losses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

__all__ = ["LOGISTIC", "MARGIN", "Loss", "descend"]

Pair: TypeAlias = tuple[torch.Tensor, torch.Tensor]

_ROUNDS = 300
_REMEMBERED = 10
_SLOPE = 1e-5  # of the mean loss: where descent ends
_HALVINGS = 20
_ENOUGH = 1e-4  # of the fall that the slope promises, by Armijo


@dataclass(frozen=True, slots=True)
class Loss:
    """Of scores (images x labels) and which labels are there (0 or 1): its value for each, and its slope."""

    value: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    slope: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def _lack(scores: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """How much a score lacks to be on its side by 1."""
    return F.relu(1 - (2 * y - 1) * scores)


LOGISTIC = Loss(
    value=lambda scores, y: F.softplus(scores) - y * scores, slope=lambda scores, y: torch.sigmoid(scores) - y
)
MARGIN = Loss(  # the squared hinge
    value=lambda scores, y: _lack(scores, y).square(),
    slope=lambda scores, y: -2 * (2 * y - 1) * _lack(scores, y),
)


class Turned(Protocol):
    """A matrix on its side."""

    def __matmul__(self, other: torch.Tensor, /) -> torch.Tensor: ...


class Matrix(Protocol):
    """Rows of images, dense or sparse."""

    @property
    def T(self) -> Turned: ...  # noqa: N802 - as every matrix calls it
    def __len__(self) -> int: ...
    def __matmul__(self, other: torch.Tensor, /) -> torch.Tensor: ...


@torch.no_grad()
def descend(
    x: Matrix,
    y: torch.Tensor,
    strength: float,
    theta: torch.Tensor,
    rounds: int = _ROUNDS,
    loss: Loss = LOGISTIC,
) -> torch.Tensor:
    """The best weights (width x labels), the offset last, from those given; `x` ends with ones."""
    problem, memory = _Problem(x, y, strength, loss), _Memory()
    scores, slope = x @ theta, problem.slope(x @ theta, theta)
    for _ in range(rounds):
        going = slope.abs().amax(dim=0) > _SLOPE * strength * len(x)
        step = memory.direction(slope) * going
        length = problem.length(scores, moved := x @ step, theta, step, slope)
        if not bool(length.any()):
            break
        theta, scores = theta + length * step, scores + length * moved
        steeper = problem.slope(scores, theta)
        memory.add(length * step, steeper - slope)
        slope = steeper
    return theta


@dataclass(frozen=True)
class _Problem:
    """What is made small; a column is a label's."""

    x: Matrix
    y: torch.Tensor
    strength: float
    loss: Loss

    def slope(self, scores: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        return self.strength * (self.x.T @ self.loss.slope(scores, self.y)) + _without_offset(theta)

    def value(self, scores: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        """In double precision, since small gains are told apart."""
        losses = self.loss.value(scores, self.y).sum(dim=0, dtype=torch.float64)
        return self.strength * losses + _without_offset(theta).square().sum(dim=0, dtype=torch.float64) / 2

    def length(
        self,
        scores: torch.Tensor,
        moved: torch.Tensor,
        theta: torch.Tensor,
        step: torch.Tensor,
        slope: torch.Tensor,
    ) -> torch.Tensor:
        """How much of its step each label takes: the first of 1, 1/2, 1/4 ... that helps, or nothing.

        Scores move with the weights, so no length costs another look at the images.
        """
        now, promised = self.value(scores, theta), (step * slope).sum(dim=0)
        length, tries = (promised < 0).to(promised.dtype), 0
        while True:
            there = self.value(scores + length * moved, theta + length * step)
            worse = there > now + _ENOUGH * length * promised
            if not bool(worse.any()):
                return length
            length = torch.where(worse, length / 2 if tries < _HALVINGS else 0.0, length)
            tries += 1


@dataclass
class _Memory:
    """The last steps, and how the slope changed along them."""

    pairs: list[Pair] = field(default_factory=list[Pair])

    def add(self, step: torch.Tensor, change: torch.Tensor) -> None:
        self.pairs = [*self.pairs[1 - _REMEMBERED :], (step, change)]

    def direction(self, slope: torch.Tensor) -> torch.Tensor:
        """Down, as the last steps bend it: the two loops of L-BFGS, for each column."""
        if not self.pairs:
            return -slope / slope.abs().amax(dim=0).clamp(min=1)
        way, taken = slope, list[torch.Tensor]()
        bent = [(step * change).sum(dim=0) for step, change in self.pairs]
        for (step, change), along in zip(reversed(self.pairs), reversed(bent), strict=True):
            taken.append(_share((step * way).sum(dim=0), along))
            way = way - taken[-1] * change
        squared = torch.stack([change.square().sum(dim=0) for _, change in self.pairs])
        way = way * _last_scale(torch.stack(bent), squared)
        for (step, change), along in zip(self.pairs, bent, strict=True):
            way = way + step * (taken.pop() - _share((change * way).sum(dim=0), along))
        return -way


def _share(part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    """Part by whole; 0 for a label that had not moved."""
    return torch.where(whole > 0, part / whole.clamp(min=torch.finfo(whole.dtype).tiny), 0.0)


def _last_scale(bent: torch.Tensor, squared: torch.Tensor) -> torch.Tensor:
    """How far a step goes by how the slope changed on the last one."""
    scale = _share(bent[-1], squared[-1])
    return torch.where(scale > 0, scale, 1.0)


def _without_offset(theta: torch.Tensor) -> torch.Tensor:
    return torch.cat([theta[:-1], torch.zeros_like(theta[-1:])])
