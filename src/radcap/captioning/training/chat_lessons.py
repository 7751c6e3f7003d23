"""What a chat learns: the words of the answer, and the mark that ends it.

Invariant: no token of a prompt counts, nor any of the image. Pictures are drawn and prepared without the
device that trains, a batch at a time; what is told beside them is drawn anew for each batch while learning,
and exact where nothing is drawn.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import torch

from radcap.captioning.chats.appending import IGNORED
from radcap.captioning.hints import told_concepts
from radcap.captioning.training.lessons import caption_loss

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import nn

    from radcap.captioning.chats.appending import Answered
    from radcap.captioning.chats.chat import Chat
    from radcap.captioning.chats.questions import Brief, Questions
    from radcap.captioning.settings import ConditionSettings
    from radcap.vision.pictures import Chance
    from radcap.vision.training import PictureFeed

__all__ = ["ChatExam", "ChatFeed", "ChatLesson", "batches"]


@dataclass(frozen=True, eq=False)
class ChatFeed:
    """`pictures` lie on the CPU; `told` (n x labels) may be told beside them, and captions of neighbours."""

    pictures: PictureFeed
    answers: Sequence[Sequence[int]]
    captions: Sequence[str]
    questions: Questions
    condition: ConditionSettings
    told: torch.Tensor | None = None
    near: Sequence[Sequence[str]] = ()

    @property
    def labels(self) -> torch.Tensor:
        return self.pictures.labels

    def __len__(self) -> int:
        return len(self.pictures)

    def pixels(self, places: torch.Tensor, chance: Chance | None) -> torch.Tensor:
        """Pictures as they are shown; with chance, varied."""
        return self.pictures.batch(places, chance)[0]

    def briefs(self, places: torch.Tensor, chance: Chance | None) -> list[Brief]:
        """What is told beside each."""
        rows = cast("list[int]", places.tolist())
        decided: list[list[int]] = [[] for _ in rows]
        if self.told is not None:
            held = self.told[places]
            told = told_concepts(held, held.shape[1], self.condition, chance)
            decided = [sorted(one) for one in cast("list[list[int]]", told.tolist())]
        near = [self.near[row] if self.near else () for row in rows]
        return [self.questions.brief(*both) for both in zip(decided, near, strict=True)]


@dataclass(frozen=True, eq=False)
class ChatLesson:
    """Captions as answers, by cross-entropy."""

    chat: Chat
    feed: ChatFeed
    smoothing: float = 0.0

    @property
    def labels(self) -> torch.Tensor:
        return self.feed.labels

    def __len__(self) -> int:
        return len(self.feed)

    def loss(self, module: Callable[..., Any], places: torch.Tensor, chance: Chance) -> torch.Tensor:
        logits, answered = self.told(module, places.cpu(), _here(chance))
        return caption_loss(logits.float(), answered.targets, self.smoothing)

    def told(
        self, module: Callable[..., Any], places: torch.Tensor, chance: Chance | None
    ) -> tuple[torch.Tensor, Answered]:
        """Logits, and what was asked for them."""
        questions = [self.feed.questions.question(one) for one in self.feed.briefs(places, chance)]
        answers = [self.feed.answers[row] for row in cast("list[int]", places.tolist())]
        answered = self.chat.answered(self.feed.pixels(places, chance), questions, answers)
        return self.chat.logits(module, answered).logits, answered


@dataclass(frozen=True, eq=False)
class ChatExam:
    """Cross-entropy per token on held-out images, and the score of what is written about them."""

    lesson: ChatLesson
    batch: int
    score: Callable[[], float] | None = None

    @torch.no_grad()
    def __call__(self, network: nn.Module) -> tuple[float, float | None]:
        losses, counts = 0.0, 0
        for places in batches(len(self.lesson), self.batch):
            logits, answered = self.lesson.told(network, places, None)
            count = int((answered.targets != IGNORED).sum())
            losses += float(caption_loss(logits.float(), answered.targets)) * count
            counts += count
        return losses / max(counts, 1), None if self.score is None else self.score()


def batches(n: int, size: int) -> Iterator[torch.Tensor]:
    """All places, in their order."""
    for start in range(0, n, size):
        yield torch.arange(start, min(start + size, n))


def _here(chance: Chance) -> Chance:
    """Lots for what is drawn without the device, as each step has its own."""
    lots = torch.Generator()
    lots.manual_seed(int(chance.betas.integers(2**62)))
    return replace(chance, lots=lots, device=torch.device("cpu"))
