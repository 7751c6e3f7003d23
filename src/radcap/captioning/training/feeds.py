"""What a captioner is fed: images or their features, the tokens of their captions, and hints.

Invariant: a caption stands between its marks and is padded to the longest; what is told of concepts is drawn
anew for each batch while learning, and exact where nothing is drawn.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, cast

import torch

from radcap.captioning.hints import Hints, heard, numbers_of
from radcap.captioning.settings import ConditionSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.prompting import Prompter
    from radcap.captioning.tokens import Tokenizer
    from radcap.vision.pictures import Chance
    from radcap.vision.training import Feed

__all__ = ["CaptionBatch", "CaptionFeed", "token_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class CaptionBatch:
    """Images (or features), tokens with their marks, labels, and what is told beside."""

    images: torch.Tensor
    tokens: torch.Tensor
    labels: torch.Tensor
    hints: Hints


@dataclass(frozen=True, eq=False)
class CaptionFeed:
    """`images` carries the labels of the concepts; `told` (n x labels) those that may be told as hints."""

    images: Feed
    tokens: torch.Tensor
    captions: Sequence[str]
    told: torch.Tensor | None = None
    near: Sequence[Sequence[str]] = ()  # captions of each image's neighbours
    prompter: Prompter | None = None
    condition: ConditionSettings = field(default_factory=ConditionSettings)
    most: int = 16  # concepts that are told of one image
    modalities: Sequence[str] = ()  # the modality that each label is, where a prompt names it
    mute: bool = False  # nothing is told but that

    @property
    def labels(self) -> torch.Tensor:
        return self.images.labels

    def __len__(self) -> int:
        return len(self.images)

    def batch(self, places: torch.Tensor, chance: Chance | None) -> CaptionBatch:
        images, labels = self.images.batch(places, chance)
        told = None if self.told is None else heard(self.told[places].bool(), self.condition, chance)
        return CaptionBatch(images, self.tokens[places], labels, self._hints(places, told))

    def _hints(self, places: torch.Tensor, told: torch.Tensor | None) -> Hints:
        concepts = None if told is None or self.mute else numbers_of(told, self.most)
        if self.prompter is None:
            return Hints(concepts)
        rows = cast("list[int]", places.tolist())
        none: list[list[int]] = [[] for _ in rows]
        numbers = none if concepts is None else cast("list[list[int]]", concepts.tolist())
        near = [self.near[row] if self.near else () for row in rows]
        words = self.prompter(numbers, near, self._named(told)).to(places.device)
        return Hints(None if self.prompter.tells_concepts else concepts, words)

    def _named(self, told: torch.Tensor | None) -> list[str]:
        """The modality of each row: the first that is told."""
        if told is None:
            return []
        places = [place for place, name in enumerate(self.modalities) if name]
        rows = cast("list[list[bool]]", told[:, places].tolist())
        named = (compress([self.modalities[place] for place in places], row) for row in rows)
        return [next(names, "") for names in named]


def token_rows(texts: Sequence[str], tokenizer: Tokenizer, longest: int) -> torch.Tensor:
    """Each caption between its marks, as a row; one that is longer than `longest` tokens has no end."""
    pieces = (tokenizer.encode(text) for text in texts)
    ended = ([*one, tokenizer.end] if len(one) <= longest else one[:longest] for one in pieces)
    rows = [[tokenizer.begin, *one] for one in ended]
    width = max((len(row) for row in rows), default=2)
    whole = torch.full((len(rows), width), tokenizer.pad, dtype=torch.long)
    for place, row in enumerate(rows):
        whole[place, : len(row)] = torch.tensor(row)
    return whole
