"""A few images to begin with: some of the test split of radiology-open, with their attribution.

Invariant: no model that ships was trained on them; what is read of one names its authors and its licence.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING

from radcap.reading.serving.answers import Refused
from radcap.reading.values import Reading, Unread

if TYPE_CHECKING:
    from radcap.datasets import Record
    from radcap.reading.serving.desk import Desk

__all__ = ["Example", "Examples"]

_DATASET = "radiology-open"
_NUMBERS = (15, 3, 25, 109, 85, 234)  # a modality each, with little writing in the picture
_IDS = tuple(f"RadBench_test_{number:06}" for number in _NUMBERS)


@dataclass(frozen=True, slots=True)
class Example:
    """An image that ships, as bytes of a WebP file."""

    name: str
    title: str  # its modality
    attribution: str
    data: bytes

    @property
    def address(self) -> str:
        return f"data:image/webp;base64,{b64encode(self.data).decode('ascii')}"


class Examples:
    """Those of the bundled dataset, opened when the page is first asked for."""

    @cached_property
    def all(self) -> tuple[Example, ...]:
        from radcap.datasets import load_dataset

        test = load_dataset(_DATASET, "test")
        return tuple(_example(test[name]) for name in _IDS)

    def read(self, desk: Desk, name: str) -> Reading | Unread:
        """The reading of an example, with whose image it is."""
        found = next((one for one in self.all if one.name == name), None)
        if found is None:
            raise Refused(HTTPStatus.NOT_FOUND, "There is no such example. Load the page again.")
        told = desk.read(found.data, found.name)
        return told if isinstance(told, Unread) else replace(told, attribution=found.attribution)


def _example(record: Record) -> Example:
    from radcap.datasets.statistics.modalities import modality_title

    told = ", ".join(one for one in (record.attribution, record.licence) if one)
    return Example(record.id, modality_title(record.modality), told, record.image.bytes)
