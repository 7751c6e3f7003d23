"""All controls of a search as one, over the log probabilities of a decoder.

Invariant: what is allowed keeps the log probability that the decoder gave it (nothing is shared out anew), so
that the sum over a caption is what `forward` says of it; what is preferred beside that is for weights, which
come after. Each row has a token that it may write: where the
controls forbid every one, the end stays allowed.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.captioning.generation.longest import Longest
from radcap.captioning.generation.mark_ban import MarkBan
from radcap.captioning.generation.repeat_ban import RepeatBan
from radcap.captioning.generation.shortest import Shortest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.generation.controls import Control
    from radcap.captioning.generation.marks import Marks
    from radcap.captioning.settings import GenerateSettings

__all__ = ["Rules", "rules_of"]

_LEAST = -1e4  # a token that a decoder thinks impossible is not forbidden: that is for controls to say


@dataclass(frozen=True, slots=True)
class Rules:
    """Controls in their order."""

    controls: tuple[Control, ...]
    end: int

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """Log probabilities (n x size) of the token after those written; minus infinity is forbidden."""
        ruled = logits.float().log_softmax(dim=1).clamp_(min=_LEAST)
        end = ruled[:, self.end].clone()
        for control in self.controls:
            ruled = control(written, ruled, images)
        stuck = ruled.amax(dim=1).isneginf()
        ruled[:, self.end] = torch.where(stuck, end, ruled[:, self.end])
        return ruled


def rules_of(settings: GenerateSettings, marks: Marks, controls: Sequence[Control] = ()) -> Rules:
    """Those that the settings name after those that are given: how long a caption is has the last word."""
    repeats = (RepeatBan(settings.no_repeat),) if settings.no_repeat else ()
    lengths = Shortest(settings.shortest, marks.end), Longest(settings.longest, marks.end)
    return Rules((MarkBan(marks.never), *controls, *repeats, *lengths), marks.end)
