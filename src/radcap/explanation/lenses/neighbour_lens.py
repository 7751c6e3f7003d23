"""A network whose neighbours answer, and an image before it: how near it is to those that spoke.

Invariant: the score of a concept is the mean likeness to those neighbours that have it, which can be derived;
its chance is the share of the likeness that stands behind it, with neighbours searched anew.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.core import UsageError
from radcap.detection.retrieval.weighted import weighted_shares
from radcap.explanation.targets import Concept, Contrast, Neighbour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.detection.retrieval import NeighbourIndex
    from radcap.explanation.lenses.frame import Frame
    from radcap.explanation.targets import Target
    from radcap.vision.backbones import Backbone
    from radcap.vision.heads import Head

__all__ = ["NeighbourLens"]


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourLens:
    """`near` are the places of the image's neighbours in the index, the nearest first."""

    backbone: Backbone
    head: Head
    index: NeighbourIndex
    near: tuple[int, ...]
    pixels: torch.Tensor
    frame: Frame

    def scores(self, features: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        asked = self._asked(features)
        return torch.stack([self._score(asked, one) for one in targets], dim=1)

    @torch.no_grad()
    def chances(self, pixels: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        features = self.backbone(pixels)
        vectors = self.head.embed(features).float().cpu().numpy()
        found = self.index.search(vectors, len(self.near))
        shares = torch.from_numpy(weighted_shares(self.index, found)).to(pixels.device)
        asked = self._asked(features)
        places = self._places()
        return torch.stack([self._chance(shares, asked, one, places) for one in targets], dim=1)

    def speakers(self, cui: str) -> tuple[int, ...]:
        """The neighbours that have a concept."""
        code = self._places().get(cui, -1)
        tags = self.index.tags
        return tuple(one for one in self.near if code in tags.codes[tags.starts[one] : tags.starts[one + 1]])

    def _places(self) -> Mapping[str, int]:
        return {label: number for number, label in enumerate(self.index.labels)}

    def _asked(self, features: torch.Tensor) -> torch.Tensor:
        """Vectors in the space of the index."""
        vectors = self.head.embed(features).float()
        if self.index.axes is not None:
            vectors = self._normed(vectors) @ self._tensor(self.index.axes, vectors)
        return self._normed(vectors)

    def _normed(self, vectors: torch.Tensor) -> torch.Tensor:
        return F.normalize(vectors, dim=-1) if self.index.metric == "cosine" else vectors

    def _tensor(self, values: NDArray[np.floating], like: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.asarray(values, np.float32)).to(like)

    def _likeness(self, asked: torch.Tensor, places: Sequence[int]) -> torch.Tensor:
        """n x places: a cosine, or minus the distance."""
        held = self._normed(self._tensor(self.index.vectors[list(places)], asked))
        return asked @ held.T if self.index.metric == "cosine" else -torch.cdist(asked, held)

    def _score(self, asked: torch.Tensor, target: Target) -> torch.Tensor:
        if isinstance(target, Contrast):
            return self._score(asked, target.this) - self._score(asked, target.other)
        if isinstance(target, Neighbour):
            return self._likeness(asked, [target.place])[:, 0]
        speakers = self.speakers(target.cui) if isinstance(target, Concept) else ()
        if not speakers:
            raise UsageError(f"No neighbour of the image speaks for {target}. Ask for a concept they have.")
        return self._likeness(asked, speakers).mean(dim=1)

    def _chance(
        self, shares: torch.Tensor, asked: torch.Tensor, target: Target, places: Mapping[str, int]
    ) -> torch.Tensor:
        if isinstance(target, Concept):
            return shares[:, places[target.cui]]
        if isinstance(target, Contrast):
            both = [self._chance(shares, asked, one, places) for one in (target.this, target.other)]
            return both[0] / (both[0] + both[1]).clamp(min=1e-6)
        near = self._score(asked, target)
        return near.clamp(min=0) if self.index.metric == "cosine" else 1 / (1 - near)
