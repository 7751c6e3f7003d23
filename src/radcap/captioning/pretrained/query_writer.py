"""From a tower's map to what BLIP-2 and InstructBLIP tell their language model: queries, then words.

Invariant: where nothing is told beside, a memory is the queries and the marks that the model's own tokenizer
puts around an empty prompt. Concepts stand between queries and words: they are radcap's, and learnt.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn

from radcap.captioning.decoders import Memory
from radcap.captioning.pretrained.writer import PretrainedWriter
from radcap.vision.published_bridge import Asked

if TYPE_CHECKING:
    from radcap.captioning.decoders import Decoder
    from radcap.captioning.settings import ConditionSettings
    from radcap.captioning.tokens import Tokenizer
    from radcap.vision.published_bridge import PublishedBridge

__all__ = ["Instructor", "QueryWriter", "around"]

_LETTER = "a"  # what no tokenizer makes nothing of


class QueryWriter(PretrainedWriter):
    """`before` and `after` are the marks around a prompt; the instructor is InstructBLIP's."""

    def __init__(
        self,
        decoder: Decoder,
        bridge: PublishedBridge,
        project: nn.Linear,
        labels: int,
        *,
        pad: int,
    ) -> None:
        super().__init__(decoder, project.in_features, labels, pad=pad, project=project)
        self.bridge: Any = bridge
        self.grid = bridge.grid
        self.before: tuple[int, ...] = ()
        self.after: tuple[int, ...] = ()
        self.instructor: Instructor | None = None

    def memory(
        self,
        features: torch.Tensor | None,
        concepts: torch.Tensor | None = None,
        words: torch.Tensor | None = None,
        *,
        rows: int,
        seen: torch.Tensor | None = None,
    ) -> Memory:
        if features is not None and words is not None and self.instructor is not None:
            seen = self.bridge(features, self.instructor(words))  # queries that heard what is asked
        return super().memory(features, concepts, words, rows=rows, seen=seen)

    def told(
        self,
        seen: torch.Tensor | None,
        concepts: torch.Tensor | None = None,
        words: torch.Tensor | None = None,
        *,
        rows: int,
    ) -> Memory:
        image = self.nothing.expand(rows, 1, -1) if seen is None else self._image(seen)
        parts = [(image, image.new_ones(image.shape[:2], dtype=torch.bool))]
        if concepts is not None:
            parts.append((self.concepts(concepts.clamp(min=0)), concepts >= 0))
        parts.append(self._marks(self.before, rows))
        if words is not None:
            parts.append((self.decoder.embed(words), words != self.pad))
        parts.append(self._marks(self.after, rows))
        values, there = (torch.cat(some, dim=1) for some in zip(*parts, strict=True))
        return Memory(values, there)

    def settle(self, condition: ConditionSettings, *, reads: bool) -> None:
        super().settle(condition, reads=reads)
        self.kinds.requires_grad_(False)  # words are what the model was trained with

    def own_weights(self) -> dict[str, torch.Tensor]:
        return {name: one for name, one in super().own_weights().items() if not name.startswith("bridge.")}

    def _image(self, seen: torch.Tensor) -> torch.Tensor:
        return self.project(seen.flatten(2).transpose(1, 2))

    def _marks(self, marks: tuple[int, ...], rows: int) -> tuple[torch.Tensor, torch.Tensor]:
        tokens = torch.tensor([marks], dtype=torch.long, device=self.nothing.device).expand(rows, -1)
        return self.decoder.embed(tokens), torch.ones_like(tokens, dtype=torch.bool)


@dataclass(frozen=True, slots=True)
class Instructor:
    """What a Q-Former hears of a prompt: its words, as its own tokenizer has them.

    `before` and `after` are its marks; no instruction has more than `most` tokens.
    """

    words: Tokenizer  # of the language model
    own: Tokenizer
    before: tuple[int, ...]
    after: tuple[int, ...]
    most: int
    _heard: dict[tuple[int, ...], tuple[int, ...]] = field(
        default_factory=dict[tuple[int, ...], tuple[int, ...]]
    )

    def __call__(self, words: torch.Tensor) -> Asked:
        rows = [self._tokens(tuple(row)) for row in cast("list[list[int]]", words.tolist())]
        width = max(map(len, rows))
        tokens = torch.full((len(rows), width), self.own.pad, dtype=torch.long)
        there = torch.zeros(len(rows), width, dtype=torch.bool)
        for place, row in enumerate(rows):
            tokens[place, : len(row)], there[place, : len(row)] = torch.tensor(row, dtype=torch.long), True
        return Asked(tokens.to(words.device), there.to(words.device))

    @property
    def empty(self) -> tuple[int, ...]:
        """An instruction without words."""
        return (*self.before, *self.after)

    def _tokens(self, words: tuple[int, ...]) -> tuple[int, ...]:
        """Those of one prompt, which many images share."""
        if words not in self._heard:
            said = self.own.encode(self.words.decode(words))[: self.most - len(self.empty)]
            self._heard[words] = (*self.before, *said, *self.after)
        return self._heard[words]


def around(tokenizer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:  # noqa: ANN401 - of the package tokenizers
    """The marks that a tokenizer puts before and after a text."""
    whole: list[int] = tokenizer.encode(_LETTER).ids
    inner: list[int] = tokenizer.encode(_LETTER, add_special_tokens=False).ids
    start = next(at for at in range(len(whole)) if whole[at : at + len(inner)] == inner)
    return tuple(whole[:start]), tuple(whole[start + len(inner) :])
