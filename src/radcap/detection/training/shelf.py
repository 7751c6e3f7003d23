"""What one model leaves to the next: feature maps of frozen backbones, and networks that were trained.

A board trains many heads over few backbones. Invariant: features on the shelf were made by the same backbone
settings, image settings and images, in the same precision; they take no more than so many bytes, the oldest
go first, and what is larger than the whole shelf drives nothing off it.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from radcap.detection.training.kept_networks import KeptNetworks

__all__ = ["Shelf"]


@dataclass(frozen=True)
class Shelf:
    """Tensors with a row for each image, by what made them and by the ids of the images.

    Without `networks`, every network is trained anew.
    """

    most_bytes: int
    networks: KeptNetworks | None = None
    held: OrderedDict[tuple[Hashable, tuple[str, ...]], torch.Tensor] = field(
        default_factory=OrderedDict["tuple[Hashable, tuple[str, ...]]", "torch.Tensor"]
    )

    def get(self, maker: Hashable, ids: tuple[str, ...], make: Callable[[], torch.Tensor]) -> torch.Tensor:
        """The rows of these images: held as they are, or gathered from others that are held, or made."""
        found = self.find(maker, ids)
        if found is None:
            found = make()
        if found.nbytes <= self.most_bytes:
            self.held[maker, ids] = found
        while sum(one.nbytes for one in self.held.values()) > self.most_bytes:
            self.held.popitem(last=False)
        return found

    def find(self, maker: Hashable, ids: tuple[str, ...]) -> torch.Tensor | None:
        """The rows of these images, where they are held or can be gathered."""
        if (maker, ids) in self.held:
            self.held.move_to_end((maker, ids))
            return self.held[maker, ids]
        return self._gathered(maker, ids)

    def _gathered(self, maker: Hashable, ids: tuple[str, ...]) -> torch.Tensor | None:
        """Train and valid together are had of the two, and a part is had of the whole."""
        parts = [(some, rows) for (one, some), rows in self.held.items() if one == maker]
        place = {
            image: (number, row) for number, (some, _) in enumerate(parts) for row, image in enumerate(some)
        }
        if not ids or any(one not in place for one in ids):
            return None
        return torch.stack([parts[place[one][0]][1][place[one][1]] for one in ids])
