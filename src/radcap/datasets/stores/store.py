"""What a dataset asks of the place its images are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from radcap.datasets.refusal import missing_image

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["ImageStore", "NoImages"]


class ImageStore(Protocol):
    """Images by key. What a key looks like is the store's own business."""

    def read(self, key: str) -> bytes:
        """The bytes of an image; `ImageRefused` where there is none or it cannot be read."""
        ...

    def has(self, key: str) -> bool:
        """Whether there is such an image, without reading it."""
        ...

    def name(self, key: str) -> str:
        """The file name as the layout has it, with folder and ending, for people."""
        ...

    def path(self, key: str) -> Path | None:
        """The file, where the image is one."""
        ...

    def stamp(self, key: str) -> str:
        """What changes when the content does, at the cost of a look at the directory."""
        ...

    def keys(self) -> Iterable[str]:
        """Every image there is, also those that no record names."""
        ...


@dataclass(frozen=True, slots=True)
class NoImages:
    """The store of a dataset that came without images: labels alone are a dataset too."""

    def read(self, key: str) -> bytes:
        raise missing_image(key)

    def has(self, key: str) -> bool:  # noqa: ARG002
        return False

    def name(self, key: str) -> str:
        return key

    def path(self, key: str) -> Path | None:  # noqa: ARG002
        return None

    def stamp(self, key: str) -> str:  # noqa: ARG002
        return ""

    def keys(self) -> Iterable[str]:
        return ()
