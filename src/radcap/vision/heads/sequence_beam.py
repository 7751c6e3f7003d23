"""Beam search for lists of concepts, over many images at once.

A list's probability is that of its concepts and of its end, each given what stands before. Invariant: no list
has a concept twice, fewer concepts than `least` or more than `length`; with as many beams as there are such
lists, all of them are found. Lists that ended are kept apart, so that no open list can push one out.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import torch

from radcap.vision.heads.sequence_decoders import State, taken

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Bounds", "Lists", "search"]

S = TypeVar("S", bound=State)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many lists are kept, and how many concepts they have."""

    beams: int
    least: int
    length: int


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Lists of each image: which labels they have (n x lists x labels), and the log of their probability."""

    labels: torch.Tensor
    scores: torch.Tensor

    def best(self, beams: int) -> Lists:
        """The most probable first."""
        scores, rows = self.scores.topk(min(beams, self.scores.shape[1]), dim=1)
        return Lists(taken(self.labels, rows), scores)

    def __add__(self, other: Lists) -> Lists:
        return Lists(
            torch.cat([self.labels, other.labels], dim=1), torch.cat([self.scores, other.scores], dim=1)
        )


def search(
    follow: Callable[[torch.Tensor, S], tuple[torch.Tensor, S]], state: S, first: torch.Tensor, bounds: Bounds
) -> Lists:
    """The best lists of each image, the best first. `first` is the token that lists begin with (n x 1);
    `follow` gives the log-probabilities of labels and end (n x beams x labels + 1) after a token."""
    told, state = follow(first, state)
    images, beams, labels = len(first), bounds.beams, told.shape[2] - 1
    open_lists = Lists(told.new_zeros(images, 1, labels, dtype=torch.bool), told.new_zeros(images, 1))
    ended = Lists(open_lists.labels[:, :0], open_lists.scores[:, :0])
    longest, written = min(bounds.length, labels), 0
    while True:
        if written >= min(bounds.least, longest):
            ends = Lists(open_lists.labels, open_lists.scores + told[:, :, -1])
            ended = (ended + ends).best(beams)
        if written == longest or _is_settled(open_lists, ended, beams):
            return ended
        open_lists, rows, tokens = _grown(open_lists, told[:, :, :-1], beams)
        told, state = follow(tokens, state.take(rows))
        written += 1


def _is_settled(open_lists: Lists, ended: Lists, beams: int) -> bool:
    """Whether no open list can be better than one that ended, since lists only lose as they grow."""
    if ended.scores.shape[1] < beams:
        return False
    return bool((open_lists.scores.amax(dim=1) <= ended.scores[:, -1]).all())


def _grown(lists: Lists, told: torch.Tensor, beams: int) -> tuple[Lists, torch.Tensor, torch.Tensor]:
    """The best lists with one more concept, the numbers of those they come from, and the concepts."""
    labels = told.shape[2]
    scores = (lists.scores[:, :, None] + told).masked_fill(lists.labels, float("-inf")).flatten(1)
    scores, places = scores.topk(min(beams, scores.shape[1]), dim=1)
    rows, tokens = places // labels, places % labels
    held = taken(lists.labels, rows).scatter(2, tokens[:, :, None], True)
    return Lists(held, scores), rows, tokens
