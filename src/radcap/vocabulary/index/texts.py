"""Many short texts in two arrays: their bytes, and where each one starts.

>>> texts = Texts.of(["heart", "left lung"])
>>> texts[1], len(texts)
('left lung', 2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.vocabulary.index.arrays import Array

__all__ = ["Texts"]


@dataclass(frozen=True, slots=True)
class Texts:
    """A sequence of texts."""

    letters: Array
    starts: Array  # one more than there are texts

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        encoded = [one.encode("utf-8", "surrogatepass") for one in texts]
        starts = np.zeros(len(encoded) + 1, np.uint64)
        np.cumsum(np.fromiter(map(len, encoded), np.uint64, len(encoded)), out=starts[1:])
        kind = np.uint32 if starts[-1] < 2**32 else np.uint64
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts.astype(kind))

    @classmethod
    def among(cls, arrays: Mapping[str, Array], name: str) -> Texts:
        """The texts that `to_arrays` put there."""
        return cls(arrays[f"{name}.letters"], arrays[f"{name}.starts"])

    def to_arrays(self, name: str) -> dict[str, Array]:
        return {f"{name}.letters": self.letters, f"{name}.starts": self.starts}

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, place: int) -> str:
        letters = self.letters[int(self.starts[place]) : int(self.starts[place + 1])]
        return letters.tobytes().decode("utf-8", "surrogatepass")

    def size(self, place: int) -> int:
        """How many bytes a text has, without reading it."""
        return int(self.starts[place + 1]) - int(self.starts[place])

    def __iter__(self) -> Iterator[str]:
        return (self[place] for place in range(len(self)))
