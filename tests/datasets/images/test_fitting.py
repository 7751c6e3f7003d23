"""A picture scaled to a size: exact in shape, near the plain result, and fast."""

from __future__ import annotations

import io

import numpy as np
import pytest
from image_samples import GREY, KINDS, RGB, exif_turn, jpeg_figure, saved
from PIL import Image

from radcap.core import UsageError
from radcap.datasets.images.decoding import decode
from radcap.datasets.images.fitting import fit, fitted_size
from radcap.datasets.refusal import ImageRefused


def plain(data: bytes, size: int, mode: str = "RGB") -> np.ndarray:
    """Decoded whole, then resampled once."""
    with Image.open(io.BytesIO(data)) as image:
        target = fitted_size(*image.size, size)
        return np.asarray(image.convert(mode).resize(target, Image.Resampling.BICUBIC))


@pytest.mark.parametrize(
    ("size", "shape"),
    [((1000, 500), (128, 256)), ((300, 900), (256, 85)), ((256, 256), (256, 256)), ((20, 10), (128, 256))],
)
@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_the_longer_side_has_the_size(form: str, size: tuple[int, int], shape: tuple[int, int]) -> None:
    fitted = fit(saved(RGB.resize(size), form), "x", 256)
    assert fitted.pixels.shape == (*shape, 3)
    assert fitted.pixels.dtype == np.uint8
    assert (fitted.width, fitted.height) == size


def test_a_line_of_pixels_keeps_one_row() -> None:
    assert fit(saved(RGB.resize((900, 1)), "PNG"), "x", 64).pixels.shape == (1, 64, 3)


@pytest.mark.parametrize(("width", "height"), [(600, 500), (700, 640), (900, 780), (1000, 700), (2000, 900)])
def test_figures_stay_near_the_plain_result(width: int, height: int) -> None:
    """Mean differences of 0.4 to 1.3 grey levels were measured on these noisy figures."""
    data = jpeg_figure(width, width, height)
    apart = np.abs(fit(data, "x", 256).pixels.astype(int) - plain(data, 256).astype(int))
    assert apart.mean() < 1.5
    assert np.percentile(apart, 99) <= 6


@pytest.mark.parametrize("name", ["png", "webp", "bmp", "tiff", "gif"])
def test_other_formats_equal_the_plain_result(name: str) -> None:
    mine, theirs = fit(KINDS[name], name, 32).pixels, plain(KINDS[name], 32)
    assert np.array_equal(mine, theirs)


def test_grey_becomes_three_equal_channels_and_colour_one() -> None:
    grey = fit(saved(GREY, "PNG"), "x", 32).pixels
    assert np.array_equal(grey[..., 0], grey[..., 2])
    single = fit(saved(RGB, "PNG"), "x", 32, channels=1).pixels
    assert single.shape == (21, 32, 1)
    assert np.array_equal(single[..., 0], plain(saved(RGB, "PNG"), 32, "L"))


def test_one_channel_of_a_jpeg_is_its_brightness() -> None:
    data = saved(RGB.resize((800, 600)), "JPEG", quality=95)
    mine, theirs = fit(data, "x", 256, 1).pixels[..., 0].astype(int), plain(data, 256, "L").astype(int)
    assert np.abs(mine - theirs).max() <= 2


def test_turned_pictures_are_fitted_upright() -> None:
    data = saved(RGB.resize((900, 600)), "JPEG", exif=exif_turn(6))
    fitted = fit(data, "x", 90)
    assert fitted.pixels.shape == (90, 60, 3)
    assert (fitted.width, fitted.height) == (600, 900)
    upright = np.asarray(decode(data).resize((60, 90), Image.Resampling.BICUBIC)).astype(int)
    assert np.abs(fitted.pixels - upright).mean() < 1.5


@pytest.mark.parametrize(("size", "channels"), [(0, 3), (-1, 1), (256, 4), (256, 0)])
def test_what_cannot_be_made_is_refused(size: int, channels: int) -> None:
    with pytest.raises(UsageError, match="1 or 3 channels"):
        fit(KINDS["png"], "x", size, channels)


def test_bad_data_are_refused_as_by_the_decoder() -> None:
    with pytest.raises(ImageRefused, match="holds HTML"):
        fit(b"<html>", "x.jpg", 256)
