"""What a decoder looks at while it writes: vectors of the image, of concepts and of words, with a mask.

Invariant: at least one entry of each row is there, so that attention always has something to look at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["Memory"]


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """`values` is n x m x width, `there` is n x m and true where an entry counts."""

    values: torch.Tensor
    there: torch.Tensor
    whole: bool = False  # where it is known that all is there, attention needs no mask

    def __len__(self) -> int:
        return len(self.values)

    def held(self) -> torch.Tensor:
        """The values, and zeros where nothing is there: whatever stood there has no say, not even a NaN."""
        if self.whole:
            return self.values
        return self.values.masked_fill(~self.there[..., None], 0)

    def mean(self) -> torch.Tensor:
        """One vector a row: the mean of what is there."""
        weight = self.there.to(self.values.dtype)[..., None]
        return self.held().sum(dim=1) / weight.sum(dim=1)

    def repeated(self, times: int) -> Memory:
        """Each row so many times, one after another: for beams and samples."""
        values, there = (part.repeat_interleave(times, 0) for part in (self.values, self.there))
        return Memory(values, there, self.whole)
