"""What a captioner learns: captions of images with the joint tasks, and text alone.

Invariant: only tokens that are there count, the end mark among them; where pad and end share a number, the
first end counts and the rest does not. The joint loss is the weighted sum of the losses of the tasks.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch import nn

    from radcap.captioning.training.feeds import CaptionBatch, CaptionFeed
    from radcap.vision.pictures import Chance
    from radcap.vision.training import Place

__all__ = ["CaptionExam", "CaptionLesson", "Task", "TextExam", "TextLesson", "caption_loss", "targets_of"]

IGNORED = -100


@dataclass(frozen=True, slots=True)
class Task:
    """A head of the joint network: which columns of the labels it answers, and how much it counts.

    `one_of` is a choice of one among the columns; without, each column is a question of its own. With `kinds`
    (columns x questions) a question is whether any column of a kind is there.
    """

    weight: float
    columns: torch.Tensor
    one_of: bool = False
    kinds: torch.Tensor | None = None

    def loss(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """An image that has none of the columns says nothing to a choice among them."""
        wanted = labels[:, self.columns]
        if self.kinds is not None:
            wanted = (wanted.float() @ self.kinds).clamp(max=1)
        if not self.one_of:
            return F.binary_cross_entropy_with_logits(logits, wanted)
        there = wanted.sum(dim=1) > 0
        chosen = torch.where(there, wanted.argmax(dim=1), IGNORED)
        losses = F.cross_entropy(logits, chosen, ignore_index=IGNORED, reduction="sum")
        return losses / there.sum().clamp(min=1)


def targets_of(tokens: torch.Tensor, pad: int, end: int) -> torch.Tensor:
    """The token after each, with `IGNORED` after the end."""
    targets = tokens[:, 1:]
    ended = (targets == end).cumsum(dim=1)
    after = (ended > 1) | ((ended == 1) & (targets != end))
    return targets.masked_fill(after | ((targets == pad) & (targets != end)), IGNORED)


def caption_loss(logits: torch.Tensor, targets: torch.Tensor, smoothing: float = 0.0) -> torch.Tensor:
    """Mean cross-entropy of the tokens that count."""
    return F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED, label_smoothing=smoothing
    )


@dataclass(frozen=True, eq=False)
class CaptionLesson:
    """Captions by cross-entropy, with the joint tasks beside them."""

    feed: CaptionFeed
    place: Place
    pad: int
    end: int
    smoothing: float = 0.0
    weight: float = 1.0  # of the caption
    tasks: Mapping[str, Task] | None = None

    @property
    def labels(self) -> torch.Tensor:
        return self.feed.labels

    def __len__(self) -> int:
        return len(self.feed)

    def loss(self, module: Callable[..., Any], places: torch.Tensor, chance: Chance) -> torch.Tensor:
        return self.loss_of(module, self.feed.batch(places, chance))

    def loss_of(self, module: Callable[..., Any], batch: CaptionBatch) -> torch.Tensor:
        with self.place.autocast():
            told: dict[str, torch.Tensor] = module(
                batch.images, batch.tokens[:, :-1], batch.hints.concepts, batch.hints.words
            )
        targets = targets_of(batch.tokens, self.pad, self.end)
        total = self.weight * caption_loss(told["caption"], targets, self.smoothing)
        for name, task in (self.tasks or {}).items():
            total = total + task.weight * task.loss(told[name], batch.labels)
        return total


@dataclass(frozen=True, eq=False)
class TextLesson:
    """Text alone, as rows of tokens; the network writes over a memory that holds nothing."""

    tokens: torch.Tensor
    place: Place
    pad: int
    end: int
    smoothing: float = 0.0

    @property
    def labels(self) -> torch.Tensor:
        return self.tokens

    def __len__(self) -> int:
        return len(self.tokens)

    def loss(self, module: Callable[..., Any], places: torch.Tensor, chance: Chance) -> torch.Tensor:  # noqa: ARG002
        tokens = self.tokens[places]
        with self.place.autocast():
            logits = module(None, tokens[:, :-1])
        return caption_loss(logits, targets_of(tokens, self.pad, self.end), self.smoothing)


@dataclass(frozen=True, eq=False)
class CaptionExam:
    """Cross-entropy per token on held-out images, and the score of what is written about them."""

    lesson: CaptionLesson  # of the held-out images
    score: Callable[[nn.Module], float] | None = None

    @torch.no_grad()
    def __call__(self, network: nn.Module) -> tuple[float, float | None]:
        losses, counts = 0.0, 0
        for places in _batches(len(self.lesson), self.lesson.place):
            batch = self.lesson.feed.batch(places, None)
            with self.lesson.place.autocast():
                told = network(batch.images, batch.tokens[:, :-1], batch.hints.concepts, batch.hints.words)
            targets = targets_of(batch.tokens, self.lesson.pad, self.lesson.end)
            count = int((targets != IGNORED).sum())
            losses, counts = losses + float(caption_loss(told["caption"], targets)) * count, counts + count
        return losses / max(counts, 1), None if self.score is None else self.score(network)


@dataclass(frozen=True, eq=False)
class TextExam:
    """Cross-entropy per token of text that is not learnt from."""

    lesson: TextLesson

    @torch.no_grad()
    def __call__(self, network: nn.Module) -> tuple[float, float | None]:
        losses, counts = 0.0, 0
        for places in _batches(len(self.lesson), self.lesson.place):
            tokens = self.lesson.tokens[places]
            with self.lesson.place.autocast():
                logits = network(None, tokens[:, :-1])
            targets = targets_of(tokens, self.lesson.pad, self.lesson.end)
            count = int((targets != IGNORED).sum())
            losses, counts = losses + float(caption_loss(logits, targets)) * count, counts + count
        return losses / max(counts, 1), None


def _batches(n: int, place: Place, size: int = 64) -> list[torch.Tensor]:
    return [torch.arange(start, min(start + size, n), device=place.device) for start in range(0, n, size)]
