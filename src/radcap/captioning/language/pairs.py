"""A local language model learns from pairs of a prompt and the text that is the right one.

Invariant: only the right text is learnt, and not the prompt; pairs that are too long for the model are left
out, and counted.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn

from radcap.captioning.base_models.pretrained import transformers_module
from radcap.captioning.language.local_model import IGNORED
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from radcap.captioning.language.local_model import Example, LocalModel
    from radcap.vision.pictures import Chance
    from radcap.vision.training import Place

__all__ = ["PairExam", "PairLesson", "PairNetwork", "examples_of", "save_local"]

_LOOKED_AT = 16  # held-out pairs at once


class PairNetwork(nn.Module):
    """The loss of a batch, by the model's own code."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - of transformers
        super().__init__()
        self.model = model

    def forward(self, read: torch.Tensor, there: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
        return self.model(input_ids=read, attention_mask=there, labels=written, use_cache=False).loss


@dataclass(frozen=True, eq=False)
class PairLesson:
    """Pairs as tokens; `pad` fills up what is read."""

    examples: Sequence[Example]
    pad: int
    place: Place

    @property
    def labels(self) -> torch.Tensor:
        return torch.zeros(len(self.examples), 1)

    def __len__(self) -> int:
        return len(self.examples)

    def loss(self, module: Callable[..., Any], places: torch.Tensor, chance: Chance) -> torch.Tensor:  # noqa: ARG002
        rows = cast("list[int]", places.tolist())
        return self.loss_of(module, [self.examples[row] for row in rows])

    def loss_of(self, module: Callable[..., Any], some: Sequence[Example]) -> torch.Tensor:
        """Mean cross-entropy of the tokens that are to be written."""
        read = self._filled([one.read for one in some], self.pad)
        there = self._filled([(1,) * len(one.read) for one in some], 0)
        with self.place.autocast():
            return module(read, there, self._filled([one.written for one in some], IGNORED))

    def _filled(self, rows: Sequence[Sequence[int]], pad: int) -> torch.Tensor:
        width = max(map(len, rows))
        return torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows], device=self.place.device)


@dataclass(frozen=True, eq=False)
class PairExam:
    """Cross-entropy per token of pairs that are not learnt from."""

    lesson: PairLesson

    @torch.no_grad()
    def __call__(self, network: nn.Module) -> tuple[float, float | None]:
        losses, counts = 0.0, 0
        for start in range(0, len(self.lesson), _LOOKED_AT):
            some = self.lesson.examples[start : start + _LOOKED_AT]
            count = sum(token != IGNORED for one in some for token in one.written)
            losses, counts = losses + float(self.lesson.loss_of(network, some)) * count, counts + count
        return losses / max(counts, 1), None


def examples_of(model: LocalModel, prompts: Sequence[str], texts: Sequence[str]) -> list[Example]:
    """The pairs that the model has room for."""
    found = (model.example(*pair) for pair in zip(prompts, texts, strict=True))
    return [one for one in found if one is not None]


def save_local(model: LocalModel, folder: Path) -> None:
    """As transformers lays it out, in single precision, so that what was learnt is kept to the last bit."""
    bare = model.model.generation_config
    model.model.generation_config = model.own
    vars(model.model.config).pop("_name_or_path", None)  # where it was made concerns nobody
    with quiet(transformers_module()):
        model.model.save_pretrained(folder)
        model.words.save_pretrained(folder)
    model.model.generation_config = bare
