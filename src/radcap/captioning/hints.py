"""What a writer is told beside the image: concepts by number, and words.

Invariant: a hint that is not there is -1 (concepts) or the pad mark (words), and has no influence. While a
writer learns, some true concepts are kept from it and wrong ones told, since a detector errs too.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from radcap.captioning.settings import ConditionSettings
    from radcap.vision.pictures import Chance

__all__ = ["Hints", "heard", "numbers_of", "told_concepts"]

NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Hints:
    """`concepts` is n x k, `words` n x t; either may be missing."""

    concepts: torch.Tensor | None = None
    words: torch.Tensor | None = None


def told_concepts(
    decided: torch.Tensor, most: int, settings: ConditionSettings | None = None, chance: Chance | None = None
) -> torch.Tensor:
    """The numbers of the concepts of each row (n x labels, true where decided), as n x most.

    With chance some are dropped and wrong ones added, as the settings say.
    """
    told = decided.bool()
    return numbers_of(told if settings is None else heard(told, settings, chance), most)


def numbers_of(told: torch.Tensor, most: int) -> torch.Tensor:
    """The numbers of the concepts that are true in each row."""
    held, places = told.int().topk(min(most, told.shape[1]), dim=1)
    return torch.where(held > 0, places, NONE)


def heard(told: torch.Tensor, settings: ConditionSettings, chance: Chance | None) -> torch.Tensor:
    """What is heard of what is told: with chance, not all, and other things.

    Wrong concepts are those of another image of the batch, so they are as frequent as true ones.
    """
    if chance is None:
        return told
    lots = torch.rand(told.shape, generator=chance.lots, device=told.device)
    kept = told & (lots >= settings.drop)
    others = told[chance.order(len(told))] & ~told & (lots < settings.add)
    return kept | others
