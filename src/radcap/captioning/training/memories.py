"""A dataset that is remembered in place of the training split, less what it would give away.

Invariant: no image that is asked about is remembered. Where the id, the file, the pixels or nearly the same
pixels of a record stand in a split that is not learnt from, it is left out, counted and told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.captioning.training.parts import Captioned
from radcap.core import UsageError
from radcap.core.counts import counted
from radcap.datasets.leaks import Evidence
from radcap.datasets.leaks.images import compare_pictures
from radcap.datasets.survey import survey_images

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from radcap.captioning.settings import CaptionDataSettings
    from radcap.captioning.training.parts import CaptionParts
    from radcap.datasets import Dataset

__all__ = ["Memory", "shared_images"]


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """What is left of a dataset, and how many records were left out, by what gave them away.

    A record may have been given away by several things.
    """

    name: str
    kept: Captioned
    left_out: int
    shared: Mapping[Evidence, int]

    @classmethod
    def of(cls, dataset: Dataset, parts: CaptionParts, data: CaptionDataSettings) -> Memory:
        """Refused where nothing is left that could be remembered."""
        found = {} if parts.others is None else shared_images(dataset, parts.others)
        keep = np.ones(len(dataset), np.bool_)
        for places in found.values():
            keep[places] = False
        memory = cls(
            dataset.name,
            Captioned.of(dataset.filter(keep), data),
            int((~keep).sum()),
            {evidence: len(places) for evidence, places in found.items() if len(places)},
        )
        if not len(memory.kept):
            why = " ".join(memory.told())
            raise UsageError(f"[data] memory: {dataset.name} has no caption to remember. {why} Name another.")
        return memory

    def told(self) -> list[str]:
        """What is remembered, and what is not."""
        told = [f"{counted(len(self.kept), 'image')} of {self.name} remembered"]
        if self.left_out:
            shared = ", ".join(f"{one.heading} {count:,}" for one, count in self.shared.items())
            left = counted(self.left_out, "image")
            told.append(f"Left out of it, for they are among those that are asked about: {left} ({shared})")
        return [*told, *self.kept.told]

    def to_json(self) -> dict[str, Any]:
        """What the card says of it."""
        shared = {one.value: count for one, count in self.shared.items()}
        return {"name": self.name, "images": len(self.kept), "left_out": self.left_out, "shared": shared}


def shared_images(memory: Dataset, asked: Dataset) -> dict[Evidence, NDArray[np.int64]]:
    """The places of records of a memory that are asked about, by what gives them away."""
    known = set(asked.ids)
    named = np.flatnonzero(np.array([one in known for one in memory.ids], np.bool_))
    found = {Evidence.ID: named}
    if len(asked) and len(memory):
        pictures = compare_pictures(survey_images(asked), survey_images(memory))
        found |= {
            Evidence.FILE: pictures.files.seconds,
            Evidence.PIXELS: pictures.pixels.seconds,
            Evidence.NEAR: pictures.near.seconds,
        }
    return found
