"""From bytes to a picture: the one decoder for files of strangers.

Invariant: bad data raise `ImageRefused` and nothing else, no warning leaves, and no pixel is made before the
header has passed the limits. The picture is upright and of one frame, the first.
"""

from __future__ import annotations

import io
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import (
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from radcap.datasets.images.colours import eight_bits
from radcap.datasets.images.failures import FAILURES, reason
from radcap.datasets.images.frames import count_frames, webp_size
from radcap.datasets.images.limits import LIMITS, ImageLimits
from radcap.datasets.images.quiet import quiet
from radcap.datasets.images.sniffing import ENDINGS, described, kind_of
from radcap.datasets.images.wholeness import breaks_off, is_padded
from radcap.datasets.refusal import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Picture", "decode", "decode_near"]

# What `Image.open` calls, less its own limit, which only warns up to twice the size.
_OPENERS: Mapping[str, Callable[[io.BytesIO, str], Image.Image]] = {
    "BMP": BmpImagePlugin.BmpImageFile,
    "GIF": GifImagePlugin.GifImageFile,
    "JPEG": JpegImagePlugin.jpeg_factory,
    "PNG": PngImagePlugin.PngImageFile,
    "TIFF": TiffImagePlugin.TiffImageFile,
    "WEBP": WebPImagePlugin.WebPImageFile,
}
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_ORIENTATION, _FIRST_TURNED = 0x0112, 5  # the EXIF tag; values from 5 on swap width and height
_TILE_WIDTH, _TILE_HEIGHT = 322, 323  # tags of a TIFF


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded picture, and how large it is in its file when upright."""

    image: Image.Image
    width: int
    height: int


def decode(data: bytes, name: str = "image", limits: ImageLimits = LIMITS) -> Image.Image:
    """The picture in 8 bit, grey (L) or RGB, upright, without comments, profiles and EXIF.

    See `colours` for alpha, 16 bit and CMYK.
    """
    bare = decode_near(data, name, 0, limits=limits).image.copy()  # less the file it came from
    bare.info = {}
    return bare


def decode_near(
    data: bytes, name: str, size: int, *, grey: bool = False, limits: ImageLimits = LIMITS
) -> Picture:
    """The picture, made smaller while it is decoded where that is cheap.

    The longer side never falls below `size`; 0 asks for the whole picture. `grey` allows the decoder to
    leave the colours out.
    """
    kind = _checked_kind(data, name, limits)
    if kind == "DICOM":
        from radcap.datasets.images.dicom import read_dicom

        image = read_dicom(data, name, limits=limits).image
        return Picture(image, *image.size)
    try:
        return _decoded(_opened(data, kind, name, limits), size, grey=grey)
    except FAILURES as failure:
        code = "IMG104" if breaks_off(data, kind) else "IMG109"
        raise refuse(code, name, why=reason(failure)) from None


def _checked_kind(data: bytes, name: str, limits: ImageLimits) -> str:
    if not data:
        raise refuse("IMG102", name)
    if len(data) > limits.size_bytes:
        raise refuse("IMG107", name, size=len(data), limit=limits.size_bytes)
    kind = kind_of(data)
    if not kind:
        raise refuse("IMG103", name, kind=described(data), known=", ".join(ENDINGS))
    frames = count_frames(data, kind, limits.frames)
    if frames > limits.frames:
        raise refuse("IMG106", name, frames=frames, limit=limits.frames)
    return kind


def _opened(data: bytes, kind: str, name: str, limits: ImageLimits) -> Image.Image:
    """The header of a file, within the limits."""
    if kind == "WEBP":  # its decoder makes room for the whole picture when it opens
        _check_pixels(*webp_size(data), name, limits)
    if kind == "JPEG" and is_padded(data):
        raise EOFError("its end is zero bytes")
    with quiet():
        image = _OPENERS[kind](io.BytesIO(data), "")
        tags = getattr(image, "tag_v2", {})
        _check_pixels(tags.get(_TILE_WIDTH, 1), tags.get(_TILE_HEIGHT, 1), name, limits)
    _check_pixels(*image.size, name, limits)
    return image


def _check_pixels(width: int, height: int, name: str, limits: ImageLimits) -> None:
    if width * height > limits.pixels:
        raise refuse("IMG105", name, width=width, height=height, limit=limits.pixels)


def _decoded(image: Image.Image, size: int, *, grey: bool) -> Picture:
    width, height = image.size
    if size and image.format in {"JPEG", "MPO"}:
        longer = max(width, height)
        wanted = max(1, width * size // longer), max(1, height * size // longer)
        image.draft("L" if grey else image.mode, wanted)
    with quiet() if image.format == "TIFF" else nullcontext():  # it goes on reading tags while it decodes
        image.load()
    turn = _orientation(image)
    if image.format not in {"JPEG", "MPO"}:
        width, height = image.size  # a TIFF is turned while it is loaded
    if turn >= _FIRST_TURNED:
        width, height = height, width
    flat = eight_bits(image)
    flat = flat.transpose(_UPRIGHT[turn]) if turn in _UPRIGHT else flat
    return Picture(flat, width, height)


def _orientation(image: Image.Image) -> int:
    """The turn that EXIF asks for; broken EXIF asks for none."""
    try:
        with quiet():
            turn = image.getexif().get(_ORIENTATION, 1)
    except FAILURES:
        return 1
    return turn if turn in _UPRIGHT else 1
