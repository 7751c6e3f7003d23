"""Images in memory, for datasets that were made and not read."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.datasets.refusal import missing_image

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["MemoryImages"]


@dataclass(frozen=True, slots=True)
class MemoryImages:
    """Bytes by name."""

    files: Mapping[str, bytes]

    def read(self, key: str) -> bytes:
        if key not in self.files:
            raise missing_image(key)
        return self.files[key]

    def has(self, key: str) -> bool:
        return key in self.files

    def name(self, key: str) -> str:
        return key

    def path(self, key: str) -> Path | None:  # noqa: ARG002
        return None

    def stamp(self, key: str) -> str:
        return hashlib.sha256(self.files.get(key, b"")).hexdigest()

    def keys(self) -> Iterable[str]:
        return self.files
