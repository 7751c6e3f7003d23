"""Feature maps of frozen backbones, kept from one model to the next.

A board trains many heads over few backbones. Invariant: what lies on the shelf was made by the same backbone
settings, image settings and images; the shelf holds no more than so many bytes, the oldest goes first.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import torch

__all__ = ["Shelf"]


@dataclass(frozen=True)
class Shelf:
    """Tensors by what they are made of."""

    most_bytes: int
    held: OrderedDict[Hashable, torch.Tensor] = field(default_factory=OrderedDict["Hashable", "torch.Tensor"])

    def get(self, key: Hashable, make: Callable[[], torch.Tensor]) -> torch.Tensor:
        """The tensor of a key, made where it is not held."""
        if key in self.held:
            self.held.move_to_end(key)
            return self.held[key]
        made = make()
        self.held[key] = made
        while sum(one.nbytes for one in self.held.values()) > self.most_bytes and self.held:
            self.held.popitem(last=False)
        return made
