"""What a batch is written from.

Invariant: rows of all parts are the images of `ids`, in their order; a part that is not known is empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.core import MODALITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.models.answers import NeighbourCaption
    from radcap.captioning.models.eyes import Sight
    from radcap.captioning.models.support import Grounds
    from radcap.core import Cui

__all__ = ["Page", "decided_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """Ids, feature maps (a chat has pixels), and what is known beside."""

    ids: tuple[str, ...]
    features: torch.Tensor
    grounds: Sequence[Grounds] = ()
    near: Sequence[tuple[NeighbourCaption, ...]] = ()
    sight: Sight | None = None  # for a reranker that goes by the image

    def some(self, start: int, stop: int) -> Page:
        """The rows from one to before another."""
        rows = slice(start, stop)
        ids, sight = self.ids[rows], self.sight
        seen = None if sight is None else sight.of(ids)
        return Page(ids, self.features[rows], self.grounds[rows], self.near[rows], seen)


def decided_of(page: Page, labels: Sequence[Cui], *, only_modality: bool = False) -> torch.Tensor:
    """The concepts that are decided for, as rows over the labels."""
    place = {cui: number for number, cui in enumerate(labels)}
    told = torch.zeros(len(page.ids), len(labels), dtype=torch.bool)
    for row, grounds in enumerate(page.grounds):
        for cui in grounds.decided:
            if cui in place and (cui in MODALITIES or not only_modality):
                told[row, place[cui]] = True
    return told
