"""Beam search with a length penalty.

A caption scores sum log p / length**penalty, where the end has its part in both. Each step looks at every
token after every running caption of an image. Of the best 2 x `beams` of these, an end among the first
`beams` finishes a caption, and the first `beams` that are no end run on. The best `beams` finished captions
are kept.

An image is done when `beams` are kept and its best running caption, if its score were taken as it stands (its
sum over its present length), would not come before the last of them; or when nothing runs. Without penalty
(0) no running caption can win then, since sums only fall; with one it is the usual guess, and that of the
library transformers (`early_stopping=False`).
Where tokens are weighed, p is what was made of their probabilities; the log probability of a caption is told
beside its score, and is the decoder's own.
Invariant: captions of an image are distinct; one beam is greedy search.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUntypedFunctionDecorator=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.captioning.generation.controls import FORBIDDEN
from radcap.captioning.generation.finished import Ended, Finished
from radcap.captioning.generation.shrinking import who_goes_on

if TYPE_CHECKING:
    from radcap.captioning.decoders.decoder import State
    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.generation.candidate import Candidate
    from radcap.captioning.generation.pen import Pen

__all__ = ["beam"]


@dataclass(frozen=True, slots=True, eq=False)
class _Running:
    """Captions on their way: `beams` for each of n images, best first; rows are all of them, one by one."""

    images: torch.Tensor  # n
    sums: torch.Tensor  # n x beams, of what is chosen by; minus infinity where nothing runs
    told: torch.Tensor  # n x beams, of the log probabilities
    written: torch.Tensor  # rows x t
    token: torch.Tensor  # rows: what the decoder is given next
    state: State

    def take(self, places: torch.Tensor) -> _Running:
        """Some of the images."""
        beams = self.sums.shape[1]
        rows = (places[:, None] * beams + torch.arange(beams, device=places.device)).flatten()
        state = self.state.take(rows)
        kept = self.images[places], self.sums[places], self.told[places]
        return _Running(*kept, self.written[rows], self.token[rows], state)


@dataclass(frozen=True, slots=True, eq=False)
class _Continued:
    """The best continuations of each image, n x 2 beams, best first."""

    sums: torch.Tensor
    told: torch.Tensor
    rows: torch.Tensor  # the row that each goes on from
    tokens: torch.Tensor

    def first(self, wanted: torch.Tensor, count: int) -> _Continued:
        """The best `count` of those that are wanted; the sums of others are minus infinity."""
        sums, places = self.sums.masked_fill(~wanted, FORBIDDEN).topk(count, dim=1)
        return _Continued(sums, *(one.gather(1, places) for one in (self.told, self.rows, self.tokens)))


@torch.no_grad()
def beam(pen: Pen, memory: Memory, beams: int, penalty: float) -> list[list[Candidate]]:
    """The captions that are kept for each image, best first."""
    running = _begun(pen, memory, beams)
    finished = Finished(len(memory), beams, pen.longest, memory.values.device)
    for step in range(pen.steps):
        logits, state = pen.decoder.step(running.state, running.token)
        images = running.images.repeat_interleave(beams)
        ruled = pen.rules(running.written, logits, images)
        best = _continued(pen.weighed(running.written, ruled, images), ruled, running)
        is_end = best.tokens == pen.marks.end
        finished.add(running.images, running.written, _ended(best, is_end, beams), (step + 1) ** penalty)
        running = _advanced(running, state, best.first(~is_end, beams))
        going = ~finished.is_settled(running.images, running.sums[:, 0] / (step + 1) ** penalty)
        running.sums.masked_fill_(~going[:, None], FORBIDDEN)  # what is done changes no more
        kept = who_goes_on(going, step)
        if kept is not None:
            if not len(kept):
                break
            running = running.take(kept)
    return finished.candidates()


def _begun(pen: Pen, memory: Memory, beams: int) -> _Running:
    """One caption runs for each image; the places of the others are empty."""
    images = torch.arange(len(memory), device=memory.values.device)
    rows = images.repeat_interleave(beams)
    sums = torch.full((len(memory), beams), FORBIDDEN, device=images.device)
    sums[:, 0] = 0
    token = torch.full_like(rows, pen.marks.begin)
    state = pen.decoder.begin(memory, pen.steps).take(rows)
    return _Running(images, sums, torch.zeros_like(sums), rows.new_empty(len(rows), 0), token, state)


def _continued(weighed: torch.Tensor, ruled: torch.Tensor, running: _Running) -> _Continued:
    images, beams = running.sums.shape
    size = weighed.shape[1]
    every = (weighed.view(images, beams, size) + running.sums[..., None]).flatten(1)
    best, places = every.topk(min(2 * beams, beams * size), dim=1)
    rows = torch.arange(images, device=best.device)[:, None] * beams + places // size
    tokens = places % size
    return _Continued(best, running.told.flatten()[rows] + ruled[rows, tokens], rows, tokens)


def _ended(best: _Continued, is_end: torch.Tensor, beams: int) -> Ended:
    """The rows (n x beams) that may have come to their end, and their sums where they have."""
    sums = best.sums.masked_fill(~is_end, FORBIDDEN)
    return Ended(*(one[:, :beams] for one in (best.rows, sums, best.told)))


def _advanced(before: _Running, state: State, best: _Continued) -> _Running:
    rows, token = best.rows.flatten(), best.tokens.flatten()
    written = torch.cat([before.written[rows], token[:, None]], dim=1)
    return _Running(before.images, best.sums, best.told, written, token, state.take(rows))
