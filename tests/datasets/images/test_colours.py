"""Every pixel format as 8 bit grey or RGB."""

from __future__ import annotations

import numpy as np
import pytest
from dataset_samples import noise
from image_samples import GREY, RGB
from PIL import Image

from radcap.datasets.images.colours import eight_bits, spread


@pytest.mark.parametrize(
    ("image", "mode"),
    [
        (GREY, "L"),
        (RGB, "RGB"),
        (GREY.convert("1"), "L"),
        (RGB.convert("CMYK"), "RGB"),
        (RGB.convert("YCbCr"), "RGB"),
        (RGB.convert("HSV"), "RGB"),
        (RGB.quantize(16), "RGB"),
        (GREY.convert("P"), "L"),
        (GREY.convert("I"), "L"),
        (GREY.convert("F"), "L"),
        (GREY.convert("LA"), "L"),
        (RGB.convert("RGBA"), "RGB"),
        (RGB.convert("RGBX"), "RGB"),
    ],
    ids=lambda value: getattr(value, "mode", value),
)
def test_modes_become_grey_or_rgb_as_pillow_converts_them(image: Image.Image, mode: str) -> None:
    flat = eight_bits(image)
    assert flat.mode == mode
    assert np.array_equal(np.asarray(flat), np.asarray(image.convert(mode)))


def test_pictures_that_are_right_already_are_not_copied() -> None:
    assert eight_bits(GREY) is GREY
    assert eight_bits(RGB) is RGB


@pytest.mark.parametrize(("alpha", "grey"), [(0, 255), (255, 10), (128, 132)])
def test_transparent_parts_become_white(alpha: int, grey: int) -> None:
    see_through = Image.new("LA", (3, 2), (10, alpha))
    assert set(np.asarray(eight_bits(see_through)).ravel().tolist()) == {grey}
    coloured = Image.new("RGBA", (3, 2), (10, 10, 10, alpha))
    assert set(np.asarray(eight_bits(coloured)).ravel().tolist()) == {grey}


def test_a_transparent_palette_entry_becomes_white() -> None:
    paletted = Image.new("P", (2, 1))
    paletted.putpalette([200, 0, 0, 0, 0, 200])
    paletted.putpixel((1, 0), 1)
    paletted.info["transparency"] = 0
    assert np.asarray(eight_bits(paletted)).tolist() == [[[255, 255, 255], [0, 0, 200]]]


def test_a_transparent_grey_level_becomes_white_and_grey_stays_grey() -> None:
    image = Image.fromarray(np.array([[7, 8]], np.uint8))
    image.info["transparency"] = 7
    flat = eight_bits(image)
    assert flat.mode == "L"
    assert np.asarray(flat).tolist() == [[255, 8]]


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        ([0, 128, 255], [0, 128, 255]),  # fits already
        ([3, 4], [3, 4]),
        ([0, 2048, 4096], [0, 128, 255]),
        ([1000, 1500, 2000], [0, 128, 255]),
        ([-1000, 0, 1000], [0, 128, 255]),
        ([700, 700], [0, 0]),
        ([np.nan, 0.0, 510.0], [0, 0, 255]),
        ([-np.inf, -5.0, 5.0, np.inf], [0, 0, 255, 255]),
        ([np.nan, np.nan], [0, 0]),
        ([1e308, -1e308, 0.0], [0, 0, 0]),  # a range no float can hold: black, no error
        ([], []),
    ],
)
def test_numbers_of_any_range_are_spread(values: list[float], levels: list[int]) -> None:
    assert spread(np.array([values])).tolist() == [levels]


@pytest.mark.parametrize("dtype", ["<u2", ">u2", "<i4", "<f4"])
def test_deep_pictures_are_spread_over_their_own_range(dtype: str) -> None:
    deep = (noise(5).astype(dtype) * 16).astype(dtype)
    expected = np.rint((deep - float(deep.min())) * (255 / (float(deep.max()) - float(deep.min()))))
    assert np.array_equal(spread(deep), expected.astype(np.uint8))


def test_rows_are_mapped_alike_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = noise(6).astype(np.int32) * 100
    whole = spread(deep)
    monkeypatch.setattr("radcap.datasets.images.colours._BLOCK", 50)
    assert np.array_equal(spread(deep), whole)
