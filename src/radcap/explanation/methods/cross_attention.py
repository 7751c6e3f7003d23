"""Where a captioner looks for each word: its attention to the image, mean over layers and heads.

Where queries of a bridge are looked at, they hand on what they get to the places that they looked at.
Attention alone is no explanation (Jain and Wallace, 2019): it says where was looked, not what it did.
Invariant: `spread` is how much layers and heads disagree.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.core import UsageError
from radcap.explanation.lenses.bridging import LOOKING
from radcap.explanation.lenses.written_words import CaptionLens, looks_of
from radcap.explanation.methods.method import Relevance
from radcap.explanation.methods.spans import by_caption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.lenses.looking import Looks
    from radcap.explanation.targets import Span, Target

__all__ = ["CrossAttention"]


@dataclass(frozen=True, slots=True)
class CrossAttention:
    """For captioners whose decoder attends to the image."""

    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        if not isinstance(lens, CaptionLens):
            raise UsageError("cross-attention shows where words look, and here are none. Use grad-cam.")

        heads = by_caption(targets, lambda spans: _heads(looks_of(lens, spans), spans))
        return Relevance(heads.mean(dim=1), heads.std(dim=1, correction=0))


def _heads(looks: Looks, spans: Sequence[Span]) -> torch.Tensor:
    """rows x heads of all layers x h x w: the mean over the tokens of each span."""
    shift, layers = looks.start, looks.weights()
    every = torch.cat([one.weights for one in layers.writing if one.cross or looks.reads], dim=1)
    rows = [every[row, :, shift + one.first : shift + one.last].mean(dim=1) for row, one in enumerate(spans)]
    handed = [one.weights for one in layers.bridge if one.room == LOOKING]
    return looks.image(torch.stack(rows), torch.cat(handed, dim=1).mean(dim=1) if handed else None)
