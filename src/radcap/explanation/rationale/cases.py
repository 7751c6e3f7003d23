"""The training images that are nearest to an image, with what is known of them.

Invariant: a case is never the image itself nor of its group, where these are known; its picture is kept only
where a licence is stated and allows to show a smaller copy, and its words are always those of its dataset.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PIL.Image import Resampling

from radcap.core import InputError
from radcap.core.counts import counted
from radcap.datasets.refusal import ImageRefused
from radcap.datasets.statistics.licence_terms import NOT_STATED, licence_of
from radcap.explanation.values import Case

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from radcap.core import Cui, ImageId
    from radcap.datasets import Dataset, ImageRef, Record
    from radcap.detection.retrieval import NeighbourIndex

__all__ = ["SIDE", "CaseFinder", "IndexedCases", "may_show"]

SIDE = 96  # pixels of the longer side of a case's picture


class CaseFinder(Protocol):
    """Finds training images that are near to one."""

    def __call__(
        self,
        vector: NDArray[Any],
        k: int = 3,
        *,
        image: ImageId = "",
        group: str = "",
        said: Collection[Cui] = (),
    ) -> tuple[Case, ...]:
        """The nearest k of an image's vector. `image` and `group` are its own, where they are known; `said`
        are the concepts that were told of it."""
        ...


@dataclass(frozen=True)
class IndexedCases:
    """Cases from an index over images of a dataset."""

    index: NeighbourIndex
    dataset: Dataset

    def __post_init__(self) -> None:
        unknown = [one for one in self.index.ids if one not in self._places]
        if unknown:
            raise InputError(
                f"The index of cases names {counted(len(unknown))} that {self.dataset.name} does not have,"
                f" e.g. {unknown[0]}. They cannot be shown. Build the index again over this dataset."
            )

    def __call__(
        self,
        vector: NDArray[Any],
        k: int = 3,
        *,
        image: ImageId = "",
        group: str = "",
        said: Collection[Cui] = (),
    ) -> tuple[Case, ...]:
        own = self._own(image, group)
        near = self.index.search(np.asarray(vector, np.float32).reshape(1, -1), k + len(own))
        places, scores = near.places[near.there].tolist(), near.scores[near.there].tolist()
        found = [(place, score) for place, score in zip(places, scores, strict=True) if place not in own]
        return tuple(self._case(place, score, said) for place, score in found[:k])

    def _own(self, image: ImageId, group: str) -> set[int]:
        """Places in the index of the image and of those of its group."""
        found = set(self._members.get(group, ())) if group else set[int]()
        known = self._places.get(image)
        if known is not None:
            found |= set(self._members.get(self._groups[known], ()))
        return found | {place for place, one in enumerate(self.index.ids) if one == image}

    def _case(self, place: int, score: float, said: Collection[Cui]) -> Case:
        record = self.dataset[self._places[self.index.ids[place]]]
        shared = [cui for cui in record.concepts if cui in said]
        caption = record.captions[0] if record.captions else None
        return Case(
            record.id,
            min(score, 1.0),  # of unit vectors, but for rounding
            "" if caption is None else caption.text,
            "" if caption is None else caption.source.value,
            tuple(self.dataset.names.get(cui, cui) for cui in shared),
            record.licence,
            record.attribution,
            _picture(record),
        )

    @cached_property
    def _places(self) -> Mapping[ImageId, int]:
        return {image: place for place, image in enumerate(self.dataset.ids)}

    @cached_property
    def _groups(self) -> list[str]:
        return self.dataset.column("group").to_pylist()

    @cached_property
    def _members(self) -> Mapping[str, list[int]]:
        """Places in the index by group; an empty name is no group."""
        found: dict[str, list[int]] = {}
        for place, image in enumerate(self.index.ids):
            group = self._groups[self._places[image]]
            if group:
                found.setdefault(group, []).append(place)
        return found


def may_show(licence: str) -> bool:
    """Whether a smaller copy of a picture may be shown.

    >>> may_show("CC BY-NC-SA 4.0"), may_show("CC BY-ND 4.0"), may_show("")
    (True, False, False)
    """
    terms = licence_of(licence)
    return terms.family != NOT_STATED and not terms.no_derivatives


def _picture(record: Record) -> NDArray[np.uint8] | None:
    return _small(record.image) if may_show(record.licence) else None


def _small(image: ImageRef) -> NDArray[np.uint8] | None:
    try:
        picture = image.load().convert("RGB")
    except ImageRefused:
        return None
    picture.thumbnail((SIDE, SIDE), Resampling.LANCZOS, reducing_gap=2.0)
    return np.asarray(picture, np.uint8)
