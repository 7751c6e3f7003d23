"""The decoder: what is read, what is refused and why."""

from __future__ import annotations

import io
import struct
import threading
import warnings
import zlib

import numpy as np
import pytest
from dataset_samples import noise
from hypothesis import given, settings
from hypothesis import strategies as st
from image_samples import GREY, KINDS, RGB, exif_turn, saved
from PIL import Image, ImageOps

from radcap.datasets.images import ImageLimits, decode
from radcap.datasets.images.decoding import decode_near
from radcap.datasets.refusal import ImageRefused

FLOAT_OR_DEEP = {"png deep", "tiff float"}


def refused(data: bytes, limits: ImageLimits | None = None) -> ImageRefused:
    with pytest.raises(ImageRefused) as caught:
        decode(data, "folder/figure.jpg", limits or ImageLimits())
    return caught.value


def outcome(data: bytes) -> Image.Image | str:
    """The picture or the code, with every warning an error of the test."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result: Image.Image | str = decode(data, "x")
        except ImageRefused as refusal:
            result = refusal.code
    assert not caught, [str(one.message) for one in caught]
    return result


@pytest.mark.parametrize("name", sorted(set(KINDS) - FLOAT_OR_DEEP))
def test_pictures_equal_what_pillow_reads(name: str) -> None:
    with Image.open(io.BytesIO(KINDS[name])) as plain:
        upright = ImageOps.exif_transpose(plain)
    mine = decode(KINDS[name], name)
    assert mine.mode == ("L" if "grey" in name else "RGB")
    assert np.array_equal(np.asarray(mine), np.asarray(upright.convert(mine.mode)))


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("turn", range(1, 9))
def test_pictures_are_turned_as_exif_says(form: str, turn: int) -> None:
    options = {"lossless": True} if form == "WEBP" else {}
    data = saved(RGB, form, exif=exif_turn(turn), **options)
    with Image.open(io.BytesIO(data)) as plain:
        expected = ImageOps.exif_transpose(plain)
    picture = decode_near(data, "x", 0)
    assert (picture.width, picture.height) == expected.size == picture.image.size
    assert np.array_equal(np.asarray(picture.image), np.asarray(expected.convert("RGB")))


@pytest.mark.parametrize("exif", [b"Exif\0\0broken", exif_turn(9), exif_turn(0)])
def test_broken_exif_turns_nothing(exif: bytes) -> None:
    for form in ("JPEG", "PNG"):
        data = saved(RGB, form, exif=exif)
        assert np.array_equal(np.asarray(decode(data)), np.asarray(decode(saved(RGB, form))))


def test_a_broken_colour_profile_is_ignored() -> None:
    for form in ("JPEG", "PNG", "TIFF"):
        data = saved(RGB, form, icc_profile=b"no profile")
        assert np.array_equal(np.asarray(decode(data)), np.asarray(decode(saved(RGB, form))))


def test_nothing_but_pixels_comes_out() -> None:
    data = saved(RGB, "JPEG", exif=exif_turn(6), comment=b"Doe, Jane", icc_profile=b"p", dpi=(72, 72))
    image = decode(data)
    assert type(image) is Image.Image
    assert image.info == {}
    assert dict(image.getexif()) == {}


def test_cmyk_of_adobe_is_stored_inverted_and_read_right() -> None:
    """Photoshop writes 255 for no ink, with its own marker; both ways show the same colours."""
    inks = RGB.convert("CMYK")
    adobe = saved(inks, "JPEG", quality=95)
    assert b"Adobe" in adobe[:200]
    assert np.abs(np.asarray(decode(adobe)).astype(int) - np.asarray(RGB).astype(int)).mean() < 4
    ycck = adobe.replace(b"Adobe\0\x64\0\0\0\0\0", b"Adobe\0\x64\0\0\0\0\2")
    assert decode(ycck).mode == "RGB"
    with Image.open(io.BytesIO(ycck)) as plain:
        assert np.array_equal(np.asarray(decode(ycck)), np.asarray(plain.convert("RGB")))


def test_sixteen_bit_greys_use_their_own_range() -> None:
    deep = noise(3).astype(np.uint16) * 16
    expected = np.rint((deep - float(deep.min())) * (255 / float(deep.max() - deep.min()))).astype(np.uint8)
    for form in ("PNG", "TIFF"):
        assert np.array_equal(np.asarray(decode(saved(Image.fromarray(deep), form))), expected)


def test_sixteen_bits_that_fit_eight_stay_as_they_are() -> None:
    shallow = noise(3)
    data = saved(Image.fromarray(shallow.astype(np.uint16)), "PNG")
    assert np.array_equal(np.asarray(decode(data)), shallow)


@pytest.mark.parametrize("name", ["gif animated", "tiff frames", "webp animated", "png animated"])
def test_the_first_frame_counts(name: str) -> None:
    with Image.open(io.BytesIO(KINDS[name])) as plain:
        assert np.array_equal(np.asarray(decode(KINDS[name])), np.asarray(plain.convert("RGB")))


def test_an_empty_file_is_refused() -> None:
    error = refused(b"")
    assert error.code == "IMG102"
    assert str(error) == "'folder/figure.jpg' holds 0 bytes. It is no image. Copy it again."


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"<html>", "HTML"), (b"%PDF-1.4", "a PDF"), (b"PK\x03\x04", "a zip archive"), (b"Not found", "text")],
)
def test_what_is_no_image_is_refused_by_name(data: bytes, words: str) -> None:
    error = refused(data)
    assert error.code == "IMG103"
    assert f"holds {words}." in str(error)
    assert "Give one of JPEG, PNG," in str(error)


@pytest.mark.parametrize("name", KINDS)
def test_too_many_bytes_and_pixels_are_refused_before_decoding(name: str) -> None:
    data = KINDS[name]
    assert refused(data, ImageLimits(size_bytes=len(data) - 1)).code == "IMG107"
    error = refused(data, ImageLimits(pixels=1000))
    assert error.code == "IMG105"
    assert "At most 1,000 pixels" in str(error)


@pytest.mark.parametrize("name", ["gif animated", "tiff frames", "webp animated", "png animated"])
def test_too_many_frames_are_refused(name: str) -> None:
    assert refused(KINDS[name], ImageLimits(frames=1)).code == "IMG106"
    assert decode(KINDS[name], "x", ImageLimits(frames=2)).mode == "RGB"


def test_a_tile_larger_than_the_picture_is_refused() -> None:
    tags = [(256, 16), (257, 16), (258, 8), (259, 5), (262, 1), (277, 1), (322, 60_000), (323, 60_000)]
    tags += [(324, 8), (325, 4)]
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    data = b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4)
    error = refused(data)
    assert error.code == "IMG105"
    assert "60,000 x 60,000" in str(error)


@pytest.mark.parametrize("name", KINDS)
def test_half_a_file_breaks_off(name: str) -> None:
    data = KINDS[name]
    first = data[: len(data) // 3]  # of two frames, within the first
    error = refused(first)
    assert error.code == "IMG104"
    assert "breaks off" in str(error)


@pytest.mark.parametrize("name", KINDS)
def test_a_cut_anywhere_is_refused_or_gives_the_whole_picture(name: str) -> None:
    data = KINDS[name]
    whole = np.asarray(decode(data))
    for end in range(0, len(data), max(1, len(data) // 60)):
        result = outcome(data[:end])
        if isinstance(result, Image.Image):
            assert np.array_equal(np.asarray(result), whole), end
        else:
            assert result in {"IMG102", "IMG103", "IMG104", "IMG109"}


def test_a_jpeg_whose_rest_is_zeros_breaks_off() -> None:
    """A download that reserved its room first and then stopped; decoders show grey and say nothing."""
    data = KINDS["jpeg"]
    half = data[: len(data) * 2 // 3]
    assert refused(half + bytes(len(data) - len(half))).code == "IMG104"
    assert decode(data + bytes(500)).mode == "RGB"  # zeros behind a whole file do no harm


def test_damage_inside_a_file_is_told_from_a_missing_end() -> None:
    data = bytearray(KINDS["png"])
    data[60:90] = bytes(30)
    error = refused(bytes(data))
    assert error.code == "IMG109"
    assert "cannot be decoded" in str(error)


def png_of(width: int, height: int) -> bytes:
    """A header alone, with a claim."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(10_000, 10_000), (30_000, 30_000), (2_000_000_000, 2_000_000_000)])
def test_claims_are_refused_without_a_warning_of_pillow(size: tuple[int, int]) -> None:
    assert outcome(png_of(*size)) == "IMG105"


def mutated(data: bytes, changes: list[tuple[int, int, int]]) -> bytes:
    """Bytes set, cut out or put in, mostly in the header."""
    new = bytearray(data)
    for place, what, byte in changes:
        at = place % max(1, min(len(new), 200 if what % 2 else 10**9))
        if what < 6:
            new[at : at + 1] = bytes([byte])
        elif what < 8:
            del new[at : at + 1 + byte % 8]
        else:
            new[at:at] = bytes([byte]) * (1 + byte % 8)
    return bytes(new)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(KINDS)),
    st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(0, 9), st.integers(0, 255)), min_size=1, max_size=12
    ),
)
def test_mutated_files_give_a_picture_or_a_refusal(name: str, changes: list[tuple[int, int, int]]) -> None:
    result = outcome(mutated(KINDS[name], changes))
    if isinstance(result, Image.Image):
        assert result.mode in {"L", "RGB"}
        assert result.width * result.height <= ImageLimits().pixels
    else:
        assert result.startswith("IMG10")


@pytest.mark.parametrize("grey", [False, True])
def test_a_smaller_decoding_never_falls_below_the_size(grey: bool) -> None:
    data = saved(RGB.resize((1000, 300)), "JPEG")
    for size, width in ((256, 500), (250, 250), (125, 125), (600, 1000), (0, 1000), (4000, 1000)):
        picture = decode_near(data, "x", size, grey=grey)
        assert picture.image.width == width
        assert (picture.width, picture.height) == (1000, 300)
        assert picture.image.mode == ("L" if grey and size else "RGB")


def test_turned_pictures_are_decoded_smaller_too() -> None:
    data = saved(RGB.resize((1000, 300)), "JPEG", exif=exif_turn(6))
    picture = decode_near(data, "x", 250)
    assert (picture.width, picture.height) == (300, 1000)
    assert picture.image.size == (75, 250)


def test_threads_decode_at_the_same_time_and_leave_the_warning_filters_alone() -> None:
    before = list(warnings.filters)
    jobs = [threading.Thread(target=decode, args=(data,)) for data in KINDS.values() for _ in range(3)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert list(warnings.filters) == before


def test_grey_stays_grey_in_every_format() -> None:
    for form in ("JPEG", "PNG", "TIFF", "BMP", "GIF"):
        assert decode(saved(GREY, form)).mode == "L"
