"""Datasets and stores for the tests of the image cache, in a module that other processes can import."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dataset_samples import dataset_of, row

from radcap.datasets.refusal import missing_image

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from radcap.datasets import Dataset

__all__ = ["StampedImages", "many", "stamped"]


@dataclass(frozen=True)
class StampedImages:
    """Images in memory whose stamps are not their content, as files have them; some kill who reads them."""

    files: Mapping[str, bytes]
    stamps: str = ""
    deadly: tuple[str, ...] = ()
    unreadable: bool = False  # says that opening a cache reads nothing

    def read(self, key: str) -> bytes:
        if self.unreadable:
            raise AssertionError(f"{key} was read")
        if key in self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if key not in self.files:
            raise missing_image(key)
        return self.files[key]

    def has(self, key: str) -> bool:
        return key in self.files

    def name(self, key: str) -> str:
        return key

    def path(self, key: str) -> Path | None:
        return None

    def stamp(self, key: str) -> str:
        return f"{self.stamps}:{key}"

    def keys(self) -> Iterable[str]:
        return self.files


def many(n: int) -> Dataset:
    """So many small pictures, no two alike."""
    return dataset_of([row(f"image{place}") for place in range(n)])


def stamped(dataset: Dataset, **options: object) -> Dataset:
    """The dataset with its images in a store with stamps of its own."""
    files: dict[str, bytes] = {key: dataset.images.read(key) for key in dataset.images.keys()}  # noqa: SIM118
    return replace(dataset, images=StampedImages(files, **options))  # type: ignore[arg-type]
