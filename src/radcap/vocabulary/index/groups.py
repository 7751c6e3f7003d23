"""Which values belong to which owner, in two arrays: the values by owner, and where each owner's start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.vocabulary.index.arrays import Array

__all__ = ["Groups"]


@dataclass(frozen=True, slots=True)
class Groups:
    """The values of each owner, in the order they were given."""

    values: Array
    starts: Array  # one more than there are owners

    @classmethod
    def of(cls, owners: Array, values: Array, count: int) -> Groups:
        """Values by owner; `owners` are numbers below `count`, in any order."""
        order = np.argsort(owners, kind="stable")
        starts = np.zeros(count + 1, np.uint32)
        np.cumsum(np.bincount(owners, minlength=count), out=starts[1:], dtype=np.uint32)
        return cls(values[order], starts)

    @classmethod
    def among(cls, arrays: Mapping[str, Array], name: str) -> Groups:
        """The groups that `to_arrays` put there."""
        return cls(arrays[f"{name}.values"], arrays[f"{name}.starts"])

    def to_arrays(self, name: str) -> dict[str, Array]:
        return {f"{name}.values": self.values, f"{name}.starts": self.starts}

    def __getitem__(self, owner: int) -> Array:
        return self.values[int(self.starts[owner]) : int(self.starts[owner + 1])]
