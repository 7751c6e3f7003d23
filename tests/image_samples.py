"""Image files of every kind that radcap reads, made and not copied."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from dataset_samples import noise
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GREY", "KINDS", "RGB", "exif_turn", "jpeg_figure", "saved"]

RGB = Image.fromarray(noise(1, 60, 40, colour=True))
GREY = Image.fromarray(noise(2, 60, 40))


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def exif_turn(value: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = value
    return exif.tobytes()


def jpeg_figure(seed: int, width: int, height: int, quality: int = 88) -> bytes:
    """A figure as journals have them: structure of every scale and some noise, grey stored as colour."""
    rng = np.random.default_rng(seed)
    total = np.full((height, width), 100.0)
    for cells, strength in ((4, 90), (16, 50), (64, 30), (200, 14)):
        shape = max(2, cells * height // max(width, height)), max(2, cells * width // max(width, height))
        small = Image.fromarray(rng.normal(size=shape).astype(np.float32))
        total += strength * np.asarray(small.resize((width, height), Image.Resampling.BICUBIC))
    total += 9 * rng.normal(size=total.shape)
    grey = np.clip(total, 0, 255).astype(np.uint8)
    return saved(Image.fromarray(np.stack([grey] * 3, axis=-1)), "JPEG", quality=quality)


def _kinds() -> Mapping[str, bytes]:
    turned = RGB.transpose(Image.Transpose.ROTATE_90).resize(RGB.size)
    more = {"save_all": True, "append_images": [turned]}
    deep = Image.fromarray(noise(3).astype(np.uint16) * 200)
    return {
        "jpeg": saved(RGB, "JPEG"),
        "jpeg progressive": saved(RGB, "JPEG", progressive=True),
        "jpeg grey": saved(GREY, "JPEG"),
        "jpeg turned": saved(RGB, "JPEG", exif=exif_turn(6)),
        "jpeg cmyk": saved(RGB.convert("CMYK"), "JPEG"),
        "png": saved(RGB, "PNG"),
        "png palette": saved(RGB.quantize(16), "PNG"),
        "png alpha": saved(RGB.convert("RGBA"), "PNG"),
        "png deep": saved(deep, "PNG"),
        "png animated": saved(RGB, "PNG", **more),
        "webp": saved(RGB, "WEBP"),
        "webp lossless": saved(RGB, "WEBP", lossless=True),
        "webp animated": saved(RGB, "WEBP", **more),
        "gif": saved(RGB, "GIF"),
        "gif animated": saved(RGB, "GIF", **more),
        "bmp": saved(RGB, "BMP"),
        "bmp grey": saved(GREY, "BMP"),
        "tiff": saved(RGB, "TIFF"),
        "tiff lzw": saved(RGB, "TIFF", compression="tiff_lzw"),
        "tiff frames": saved(RGB, "TIFF", **more),
        "tiff float": saved(Image.fromarray(noise(3).astype(np.float32)), "TIFF"),
    }


KINDS = _kinds()
