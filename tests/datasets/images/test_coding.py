"""Images written in another format, size or quality."""

from __future__ import annotations

import io

import numpy as np
import pytest
from image_samples import GREY, KINDS, RGB, exif_turn, saved
from PIL import Image

from radcap.core import UsageError
from radcap.datasets.images import Coding, decode, recode
from radcap.datasets.images.coding import FORMATS, encode
from radcap.datasets.images.sniffing import kind_of
from radcap.datasets.refusal import ImageRefused


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["jpeg", "png palette", "png deep", "tiff", "gif", "bmp grey", "webp"])
def test_every_kind_is_written_in_every_format(name: str, form: str) -> None:
    data = recode(KINDS[name], Coding(form))
    assert kind_of(data) == form.upper()
    assert decode(data).size == decode(KINDS[name]).size
    assert recode(KINDS[name], Coding(form)) == data


def test_png_is_lossless() -> None:
    assert np.array_equal(
        np.asarray(decode(recode(KINDS["jpeg"], Coding("png")))), np.asarray(decode(KINDS["jpeg"]))
    )


@pytest.mark.parametrize("form", ["jpeg", "png"])
def test_grey_stays_grey(form: str) -> None:
    assert decode(recode(saved(GREY, "PNG"), Coding(form))).mode == "L"


def test_grey_in_webp_has_three_equal_channels() -> None:
    """The format knows colours alone."""
    pixels = np.asarray(decode(recode(saved(GREY, "PNG"), Coding("webp", quality=90))))
    assert np.ptp(pixels.astype(int), axis=-1).max() <= 2


def test_the_longer_side_is_bounded_and_small_pictures_are_left() -> None:
    large = saved(RGB.resize((900, 300)), "PNG")
    assert decode(recode(large, Coding("jpeg", size=256))).size == (256, 85)
    assert decode(recode(large, Coding("jpeg", size=2000))).size == (900, 300)
    assert decode(recode(large, Coding("jpeg"))).size == (900, 300)


def test_resampling_equals_lanczos() -> None:
    large = RGB.resize((400, 300))
    expected = np.asarray(large.resize((100, 75), Image.Resampling.LANCZOS))
    assert np.array_equal(np.asarray(decode(encode(large, Coding("png", size=100)))), expected)


def test_quality_costs_bytes() -> None:
    data = saved(RGB.resize((300, 200)), "PNG")
    for form in ("jpeg", "webp"):
        low, high = recode(data, Coding(form, quality=20)), recode(data, Coding(form, quality=95))
        assert len(low) < len(high)


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_but_pixels_is_written(form: str) -> None:
    private = saved(RGB, "JPEG", exif=exif_turn(6), comment=b"Doe, Jane", icc_profile=b"a profile")
    data = recode(private, Coding(form))
    assert not any(word in data for word in (b"Doe", b"Exif", b"EXIF", b"eXIf", b"ICC", b"a profile"))
    with Image.open(io.BytesIO(data)) as image:
        assert not set(image.info) & {"exif", "icc_profile", "comment"}
        assert image.size == (40, 60)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"format": "jpg"}, "There is no image format 'jpg'. Nearest is 'jpeg'. Known: jpeg, png, webp."),
        ({"format": "png", "quality": 0}, "Quality 0 cannot be written. It goes from 1 to 100."),
        ({"format": "png", "quality": 101}, "Quality 101"),
        ({"format": "png", "size": -1}, "Size -1"),
    ],
)
def test_codings_that_cannot_be_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        Coding(**options)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_bad_data_are_refused_by_name() -> None:
    with pytest.raises(ImageRefused, match=r"a\.jpg holds a PDF"):
        recode(b"%PDF-1.4", Coding("jpeg"), "a.jpg")
