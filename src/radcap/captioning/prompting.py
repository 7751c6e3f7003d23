"""What is told in words: a prompt with the names of concepts and the captions of neighbours in it.

Invariant: a prompt is one line; a part that is not known stands as `unknown` for concepts, and as nothing for
neighbours. A prompt that is too long loses its beginning, since its end is what the caption follows.
>>> prompt_text("Concepts: {concepts}. Caption:", ["Liver"], [])
'Concepts: Liver. Caption:'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.captioning.settings import CONCEPTS, NEIGHBOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.settings import ConditionSettings
    from radcap.captioning.tokens import Tokenizer

__all__ = ["Prompter", "make_prompter", "prompt_text"]

_MOST = 160  # tokens


def prompt_text(template: str, concepts: Sequence[str], neighbours: Sequence[str]) -> str:
    """The words before a caption."""
    told = template.replace(CONCEPTS, ", ".join(concepts) or "unknown")
    return " ".join(told.replace(NEIGHBOURS, " ".join(neighbours)).split())


@dataclass(frozen=True, slots=True)
class Prompter:
    """`names` are those of the labels, in their order."""

    template: str
    names: tuple[str, ...]
    tokenizer: Tokenizer

    @property
    def tells_concepts(self) -> bool:
        return CONCEPTS in self.template

    def __call__(
        self, concepts: Sequence[Sequence[int]], neighbours: Sequence[Sequence[str]]
    ) -> torch.Tensor:
        """The tokens of each row's prompt, padded at the end; concepts by number, below 0 where none is."""
        rows: list[list[int]] = []
        for places, near in zip(concepts, neighbours, strict=True):
            names = [self.names[one] for one in places if one >= 0]
            rows.append(self.tokenizer.encode(prompt_text(self.template, names, near))[-_MOST:])
        width = max((len(row) for row in rows), default=0)
        words = torch.full((len(rows), max(width, 1)), self.tokenizer.pad, dtype=torch.long)
        for place, row in enumerate(rows):
            words[place, : len(row)] = torch.tensor(row, dtype=torch.long)
        return words


def make_prompter(
    settings: ConditionSettings, names: tuple[str, ...], tokenizer: Tokenizer
) -> Prompter | None:
    """The prompter of a system; without a prompt, neighbours are told by their captions alone."""
    template = settings.prompt or (NEIGHBOURS if settings.neighbours else "")
    return Prompter(template, names, tokenizer) if template else None
