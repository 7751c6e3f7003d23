"""Self-critical training (Rennie et al. 2017): what scores better than the greedy caption becomes likelier.

Invariant: the loss is -(reward of the sample - baseline) x the sum of the sample's log probabilities, so that
a sample with the better reward becomes more likely, and one with the worse less. The baseline is the greedy
caption's reward, or the mean of the image's other samples, which pushes as much up as down.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn

from radcap.captioning.generation import draw, marks_of, write
from radcap.captioning.settings import GenerateSettings
from radcap.captioning.training.lessons import IGNORED, targets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.captioning.decoders import Memory
    from radcap.captioning.settings import ScstSettings
    from radcap.captioning.tokens import Tokenizer
    from radcap.captioning.training.feeds import CaptionBatch
    from radcap.captioning.training.lessons import CaptionLesson
    from radcap.captioning.training.rewards import Reward
    from radcap.captioning.writer import AnyWriter
    from radcap.vision.pictures import Chance

__all__ = ["CriticalLesson", "critical_loss", "log_probabilities"]


def log_probabilities(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The sum of the log probabilities of the tokens that count, one for each row."""
    told = logits.float().log_softmax(dim=-1)
    counted = targets != IGNORED
    picked = told.gather(2, targets.clamp(min=0)[..., None])[..., 0]
    return (picked * counted).sum(dim=1)


def critical_loss(log_p: torch.Tensor, rewards: torch.Tensor, baseline: torch.Tensor) -> torch.Tensor:
    """The mean over samples of -(reward - baseline) x log probability."""
    return -((rewards - baseline) * log_p).mean()


@dataclass(frozen=True, eq=False)
class CriticalLesson:
    """Samples of each image against its greedy caption; a part of the loss may stay cross-entropy.

    `look` gives the feature maps of images, `writer` writes over them.
    """

    plain: CaptionLesson
    settings: ScstSettings
    tokenizer: Tokenizer
    writer: AnyWriter
    look: Callable[[torch.Tensor], torch.Tensor]
    reward: Reward
    longest: int
    seen: list[float] = field(default_factory=list[float])  # mean reward of the greedy captions, by step

    @property
    def labels(self) -> torch.Tensor:
        return self.plain.labels

    def __len__(self) -> int:
        return len(self.plain)

    def loss(self, module: Callable[..., Any], places: torch.Tensor, chance: Chance) -> torch.Tensor:
        batch = self.plain.feed.batch(places, chance)
        references = [self.plain.feed.captions[place] for place in cast("list[int]", places.tolist())]
        drawn, greedy = self._written(batch, chance)
        rewards, baseline = self._worth(drawn, greedy, references)
        own = critical_loss(self._log_p(module, batch, drawn), rewards, baseline)
        mix = self.settings.mix
        return own if not mix else (1 - mix) * own + mix * self.plain.loss_of(module, batch)

    def _written(self, batch: CaptionBatch, chance: Chance) -> tuple[torch.Tensor, list[str]]:
        """The same by a network that does not learn meanwhile: no dropout, and norms that stay put."""
        learning = [one for one in (self.writer, self.look) if isinstance(one, nn.Module) and one.training]
        for one in learning:
            one.eval()
        try:
            return self._drawn(batch, chance)
        finally:
            for one in learning:
                one.train()

    @torch.no_grad()
    def _drawn(self, batch: CaptionBatch, chance: Chance) -> tuple[torch.Tensor, list[str]]:
        """The tokens of the samples with their marks, and the greedy captions."""
        memory = self._memory(batch)
        lots = torch.randint(2**40, (len(memory),), generator=chance.lots, device=chance.device)
        seeds, marks = cast("list[int]", lots.tolist()), marks_of(self.tokenizer)
        wanted = self.settings
        greedy = GenerateSettings(method="greedy", no_repeat=0, shortest=1, longest=self.longest)
        drawing = replace(
            greedy,
            method="sample",
            samples=wanted.samples,
            top_k=wanted.top_k,
            temperature=wanted.temperature,
        )
        with self.plain.place.autocast():
            drawn = draw(self.writer.decoder, memory, drawing, marks, seeds)
            best = write(self.writer.decoder, memory, greedy, marks)
        begin = drawn.tokens.new_full((len(drawn.tokens), 1), self.tokenizer.begin)
        return torch.cat([begin, drawn.tokens], dim=1), [self._text(one[0].tokens) for one in best]

    def _memory(self, batch: CaptionBatch) -> Memory:
        with self.plain.place.autocast():
            features = self.look(batch.images)
            hints = batch.hints
            return self.writer.memory(features, hints.concepts, hints.words, rows=len(batch.images))

    def _worth(
        self, drawn: torch.Tensor, greedy: list[str], references: Sequence[str]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        many = self.settings.samples
        texts = [self._text(row) for row in cast("list[list[int]]", drawn[:, 1:].tolist())]
        repeated = [one for one in references for _ in range(many)]
        # all at once, so that a metric that looks at its neighbours measures both alike
        values = self.reward([*texts, *greedy], [*repeated, *references])
        self.seen.append(sum(values[len(texts) :]) / max(len(greedy), 1))
        told = torch.tensor(values, dtype=torch.float32, device=drawn.device)
        rewards = told[: len(texts)]
        if self.settings.baseline == "greedy":
            return rewards, told[len(texts) :].repeat_interleave(many)
        return rewards, _mean_of_others(rewards, many)

    def _log_p(self, module: Callable[..., Any], batch: CaptionBatch, tokens: torch.Tensor) -> torch.Tensor:
        many = self.settings.samples
        hints = batch.hints
        with self.plain.place.autocast():
            told = module(
                _repeated(batch.images, many),
                tokens[:, :-1],
                None if hints.concepts is None else _repeated(hints.concepts, many),
                None if hints.words is None else _repeated(hints.words, many),
            )
        targets = targets_of(tokens, self.tokenizer.pad, self.tokenizer.end)
        targets[:, self.longest :] = IGNORED  # an end that was forced was not chosen
        return log_probabilities(told["caption"], targets)

    def _text(self, tokens: Sequence[int]) -> str:
        return self.tokenizer.decode(_until(tokens, self.tokenizer.end))


def _repeated(values: torch.Tensor, times: int) -> torch.Tensor:
    return values if times == 1 else values.repeat_interleave(times, dim=0)


def _mean_of_others(rewards: torch.Tensor, many: int) -> torch.Tensor:
    """For each sample, the mean reward of the other samples of its image."""
    rows = rewards.view(-1, many)
    return ((rows.sum(dim=1, keepdim=True) - rows) / (many - 1)).flatten()


def _until(tokens: Sequence[int], end: int) -> Sequence[int]:
    """The tokens before the end mark."""
    return tokens[: tokens.index(end)] if end in tokens else tokens
