"""Several lenses over one backbone and one image, as one: what is looked at once serves all of them.

Invariant: every target is scored by the lens it belongs to, and by no other.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from radcap.explanation.lenses.frame import Frame
    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target
    from radcap.vision.backbones import Backbone

__all__ = ["JointLens", "alike"]


@dataclass(frozen=True, slots=True, eq=False)
class JointLens:
    """The lenses by the targets that are theirs."""

    owners: Mapping[Target, Lens]

    @property
    def _first(self) -> Lens:
        return next(iter(self.owners.values()))

    @property
    def backbone(self) -> Backbone:
        return self._first.backbone

    @property
    def pixels(self) -> torch.Tensor:
        return self._first.pixels

    @property
    def frame(self) -> Frame:
        return self._first.frame

    def scores(self, features: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        return self._by_owner(targets, lambda lens, some: lens.scores(features, some))

    def chances(self, pixels: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        return self._by_owner(targets, lambda lens, some: lens.chances(pixels, some))

    def _by_owner(
        self, targets: Sequence[Target], asked: Callable[[Lens, list[Target]], torch.Tensor]
    ) -> torch.Tensor:
        columns: dict[Target, torch.Tensor] = {}
        for lens in {id(one): one for one in self.owners.values()}.values():
            some = [one for one in targets if self.owners[one] is lens]
            if some:
                columns |= dict(zip(some, asked(lens, some).unbind(dim=1), strict=True))
        return torch.stack([columns[one] for one in targets], dim=1)


def alike(one: Lens, other: Lens) -> bool:
    """Whether two lenses look with the same eyes at the same image."""
    same = one.backbone is other.backbone and one.pixels.shape == other.pixels.shape
    return same and torch.equal(one.pixels, other.pixels)
