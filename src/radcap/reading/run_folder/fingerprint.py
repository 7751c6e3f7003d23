"""What a run of readings is a run of: the model, what was asked of it, and the images.

Invariant: two runs with one fingerprint give the same readings in the same order, so one can go on where the
other stopped. Images are known by names, sizes and dates, since to read them all would take as long again.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from radcap.core import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from radcap.datasets import Dataset
    from radcap.reading.values import Reading, Unread

__all__ = ["Fingerprint", "Reads"]

_WORDS = {
    "model": "the model {} instead of {}",
    "maps": "maps: {} instead of {}",
    "cases": "{} nearest cases instead of {}",
    "anyway": "reading anyway: {} instead of {}",
    "images": "{} images instead of {}",
    "names": "other images, or images that changed",
    "radcap": "radcap {} instead of {}",
}


class Reads(Protocol):
    """What is asked of a reader."""

    @property
    def name(self) -> str: ...
    @property
    def maps(self) -> bool: ...
    @property
    def cases(self) -> int: ...
    @property
    def anyway(self) -> bool: ...

    def __call__(
        self, dataset: Dataset, progress: Callable[[str, int], None] | None = None
    ) -> Iterator[Reading | Unread]: ...


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`names` is a hash over the ids of the images and what their store knows of each."""

    model: str
    maps: bool
    cases: int
    anyway: bool
    images: int
    names: str
    radcap: str = VERSION

    @classmethod
    def of(cls, reader: Reads, dataset: Dataset) -> Fingerprint:
        return cls(reader.name, reader.maps, reader.cases, reader.anyway, len(dataset), _names(dataset))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def differences(self, other: Mapping[str, Any]) -> list[str]:
        """What is asked now and was not then, in words."""
        mine = self.to_json()
        differ = [name for name in _WORDS if mine[name] != other.get(name)]
        if "images" in differ:
            differ.remove("names")
        return [_WORDS[name].format(mine[name], other.get(name)) for name in differ]


def _names(dataset: Dataset) -> str:
    seen = hashlib.sha256()
    keys = dataset.column("image").to_pylist()
    for image, key in zip(dataset.ids, keys, strict=True):
        seen.update(f"{image}\t{key}\t{_stamp(dataset, key)}\n".encode("utf-8", "backslashreplace"))
    return seen.hexdigest()


def _stamp(dataset: Dataset, key: str) -> str:
    """An image that is away is told when it is read."""
    try:
        return dataset.images.stamp(key)
    except (OSError, KeyError, ValueError, IndexError):
        return ""
