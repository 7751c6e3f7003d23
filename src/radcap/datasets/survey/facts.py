"""What one image says of itself: size, colour, brightness, digests and a little grey copy.

Invariant: the picture is decoded once; an image that cannot be used has a code and a sentence, and zeros.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageChops

from radcap.core import InputError, Missing
from radcap.datasets.images import decode, kind_of
from radcap.datasets.refusal import missing_image, refuse
from radcap.datasets.survey.survey import BINS, SMALL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets.stores import ImageStore

__all__ = ["NEEDS_PACKAGE", "ImageFacts", "facts_of"]

NEEDS_PACKAGE = "IMG110"  # refused because of what is installed here, not because of the image
_GREY_SPREAD = 16  # levels by which the channels of a grey picture may differ after lossy coding
_LEVELS = np.arange(256)
_NO_DIGEST = bytes(32)


def _no_histogram() -> NDArray[np.uint32]:
    return np.zeros(BINS, np.uint32)


def _no_picture() -> NDArray[np.uint8]:
    return np.zeros((SMALL, SMALL), np.uint8)


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """One row of a survey, less the hashes, which are made for many at a time."""

    kind: str = ""
    refused: str = ""
    why: str = ""
    size_bytes: int = 0
    width: int = 0
    height: int = 0
    colour: bool = False
    mean: float = 0.0
    deviation: float = 0.0
    histogram: NDArray[np.uint32] = field(default_factory=_no_histogram)
    digest: bytes = _NO_DIGEST
    pixel_digest: bytes = _NO_DIGEST
    small: NDArray[np.uint8] = field(default_factory=_no_picture)


def facts_of(store: ImageStore, key: str) -> ImageFacts:
    """The facts of an image, or why there are none."""
    if not key or not store.has(key):
        return _refused(missing_image(store.name(key) if key else ""))
    name = store.name(key)
    try:
        data = store.read(key)
    except InputError as error:
        return _refused(error)
    except OSError as error:
        return _refused(refuse("IMG109", name, why=error.strerror or str(error)))
    return _decoded(data, name)


def _decoded(data: bytes, name: str) -> ImageFacts:
    kind, digest = kind_of(data), hashlib.sha256(data).digest()
    try:
        return _seen(decode(data, name), kind, len(data), digest)
    except InputError as error:
        return _refused(error, kind, len(data), digest)
    except Missing as error:
        return _refused(refuse(NEEDS_PACKAGE, name, why=str(error)), kind, len(data), digest)


def _refused(
    error: InputError, kind: str = "", size_bytes: int = 0, digest: bytes = _NO_DIGEST
) -> ImageFacts:
    code = error.issues[0].code if error.issues else "IMG109"
    return ImageFacts(kind, code, str(error), size_bytes, digest=digest)


def _seen(picture: Image.Image, kind: str, size_bytes: int, digest: bytes) -> ImageFacts:
    grey = picture.convert("L")
    counts = np.array(grey.histogram())
    mean = float(counts @ _LEVELS / counts.sum())
    return ImageFacts(
        kind=kind,
        size_bytes=size_bytes,
        width=picture.width,
        height=picture.height,
        colour=_has_colour(picture),
        mean=mean,
        deviation=float(np.sqrt(counts @ (_LEVELS - mean) ** 2 / counts.sum())),
        histogram=counts.reshape(BINS, -1).sum(axis=1).astype(np.uint32),
        digest=digest,
        pixel_digest=_digest_of_pixels(picture),
        small=np.asarray(grey.resize((SMALL, SMALL), Image.Resampling.BOX)),
    )


def _has_colour(picture: Image.Image) -> bool:
    if picture.mode == "L":
        return False
    red, green, blue = picture.split()
    lightest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    darkest = ImageChops.darker(ImageChops.darker(red, green), blue)
    spread = np.asarray(ImageChops.subtract(lightest, darkest))
    return int(spread.max()) > _GREY_SPREAD


def _digest_of_pixels(picture: Image.Image) -> bytes:
    head = f"{picture.mode} {picture.width} {picture.height} "
    return hashlib.sha256(head.encode() + picture.tobytes()).digest()
