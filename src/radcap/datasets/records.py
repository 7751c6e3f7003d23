"""A record as people see it: an image with its captions, concepts, licence and origin.

Invariant: a record never changes, and holds no pixels; `image` fetches them when it is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from PIL.Image import Image

    from radcap.core.runs import Cui
    from radcap.datasets.stores import ImageStore

__all__ = ["Caption", "CaptionSource", "ImageRef", "Record"]


class CaptionSource(StrEnum):
    """Who wrote a caption."""

    ORIGINAL = "original"  # the author of the image
    TRANSLATED = "translated"  # the author, in another language
    GENERATED = "generated"  # a model
    COMPOSED = "composed"  # a grammar, from labels that people gave


@dataclass(frozen=True, slots=True)
class Caption:
    """One text about an image. `language` is a two-letter code, or empty where nobody said."""

    text: str
    source: CaptionSource = CaptionSource.ORIGINAL
    language: str = ""


@dataclass(frozen=True, slots=True)
class ImageRef:
    """Where the bytes of an image lie; nothing is read before it is asked for."""

    store: ImageStore = field(repr=False)
    key: str

    @property
    def bytes(self) -> bytes:
        """The file as it is. An image that is not there raises `ImageRefused`."""
        return self.store.read(self.key)

    @property
    def path(self) -> Path | None:
        """The file, where the image is a file of its own and not a part of an archive."""
        return self.store.path(self.key)

    @property
    def name(self) -> str:
        """The name of the file, with its ending."""
        return PurePosixPath(self.store.name(self.key)).name

    def load(self) -> Image:
        """The picture: upright, 8 bit, grey or RGB, whatever the file is."""
        from radcap.datasets.images import decode

        return decode(self.bytes, self.name)


@dataclass(frozen=True, slots=True)
class Record:
    """An image and all that is known of it. `concepts` hold the manual ones too, as release files do."""

    id: str
    split: str
    image: ImageRef
    captions: tuple[Caption, ...]
    concepts: tuple[Cui, ...]
    manual: tuple[Cui, ...]
    group: str  # the article or the patient
    source: str
    licence: str
    attribution: str
    modality: str = ""
    details: Mapping[str, str] = field(default_factory=dict[str, str])  # every further column, as text

    def _repr_html_(self) -> str:
        from radcap.datasets.notebooks import record_html

        return record_html(self)

    @property
    def caption(self) -> str:
        """The first caption, or nothing."""
        return self.captions[0].text if self.captions else ""
