"""What is told in words: a prompt with the modality, the names of concepts and neighbours' captions.

Invariant: a prompt is one line; a part that is not known stands as `unknown` for concepts and modality, and
as nothing for neighbours. A prompt that is too long loses its beginning, since its end is what the caption
follows.
>>> prompt_text("{modality} image of: {concepts}. Caption:", ["Liver"], [], "CT")
'CT image of: Liver. Caption:'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.captioning.grammar import phrase_of
from radcap.captioning.settings import CONCEPTS, MODALITY, NEIGHBOURS
from radcap.core import MODALITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.captioning.settings import ConditionSettings
    from radcap.captioning.tokens import Tokenizer
    from radcap.core import Cui

__all__ = ["Prompter", "make_prompter", "modality_of", "prompt_text"]

_MOST = 160  # tokens


_UNKNOWN = "unknown"


def modality_of(cuis: Iterable[Cui]) -> str:
    """The plain name of the first modality among concepts; nothing where there is none.

    >>> modality_of(["C0023884", "C0040405"])
    'CT'
    """
    return next((phrase_of(cui) for cui in cuis if cui in MODALITIES), "")


def prompt_text(template: str, concepts: Sequence[str], neighbours: Sequence[str], modality: str = "") -> str:
    """The words before a caption."""
    told = template.replace(MODALITY, modality or _UNKNOWN)
    told = told.replace(CONCEPTS, ", ".join(concepts) or _UNKNOWN)
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
        self,
        concepts: Sequence[Sequence[int]],
        neighbours: Sequence[Sequence[str]],
        modalities: Sequence[str] = (),
    ) -> torch.Tensor:
        """The tokens of each row's prompt, padded at the end; concepts by number, below 0 where none is."""
        rows: list[list[int]] = []
        for row, (places, near) in enumerate(zip(concepts, neighbours, strict=True)):
            names = [self.names[one] for one in places if one >= 0]
            text = prompt_text(self.template, names, near, modalities[row] if modalities else "")
            rows.append(self.tokenizer.encode(text)[-_MOST:])
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
