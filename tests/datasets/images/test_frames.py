"""Frames are counted without decoding, as Pillow counts them by seeking."""

from __future__ import annotations

import io
import struct
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from image_samples import KINDS, RGB, saved
from PIL import Image

from radcap.datasets.images.frames import count_frames, webp_size


def pillow_frames(data: bytes) -> int:
    with Image.open(io.BytesIO(data)) as image:
        return getattr(image, "n_frames", 1)


@pytest.mark.parametrize("name", KINDS)
def test_frames_are_those_pillow_counts(name: str) -> None:
    data = KINDS[name]
    assert count_frames(data, name.split(maxsplit=1)[0].upper(), 100) == pillow_frames(data)


@pytest.mark.parametrize("form", ["GIF", "TIFF", "WEBP", "PNG"])
@pytest.mark.parametrize("most", [1, 4, 5, 6])
def test_counting_stops_one_past_the_limit(form: str, most: int) -> None:
    more = [RGB.rotate(20 * turn) for turn in range(1, 5)]
    data = saved(RGB, form, save_all=True, append_images=more)
    assert count_frames(data, form, most) == min(5, most + 1)


def test_big_tiff_is_counted_too() -> None:
    data = saved(RGB, "TIFF", big_tiff=True, save_all=True, append_images=[RGB, RGB])
    assert data[2:3] == b"+"
    assert count_frames(data, "TIFF", 100) == 3


def test_directories_in_a_circle_are_counted_once() -> None:
    entry = struct.pack("<H", 0) + struct.pack("<I", 8)
    assert count_frames(b"II*\0" + struct.pack("<I", 8) + entry, "TIFF", 100) == 1


def test_a_gif_of_a_million_frames_costs_no_more_than_the_limit() -> None:
    frame = b"\x2c" + struct.pack("<HHHH", 0, 0, 1, 1) + b"\0" + b"\x02\x02\x44\x01\0"
    data = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0, 0, 0) + frame * 1_000_000
    start = time.process_time()
    assert count_frames(data, "GIF", 1000) == 1001
    assert time.process_time() - start < 0.1


WIDE = RGB.resize((517, 33))


@pytest.mark.parametrize(
    "options", [{}, {"lossless": True}, {"save_all": True, "append_images": [WIDE.rotate(180)]}]
)
def test_the_size_of_a_webp_is_read_from_its_header(options: dict[str, object]) -> None:
    assert webp_size(saved(WIDE, "WEBP", **options)) == (517, 33)


def test_the_size_of_a_broken_webp_is_nothing() -> None:
    assert webp_size(KINDS["webp"][:25]) == (0, 0)


@given(
    st.sampled_from(["GIF", "TIFF", "WEBP", "PNG"]), st.binary(max_size=200), st.sampled_from(sorted(KINDS))
)
def test_any_bytes_are_counted_without_an_error(form: str, data: bytes, name: str) -> None:
    for start in (b"", KINDS[name][:16], b"II+\0\x08\0\0\0", b"GIF89a"):
        assert 1 <= count_frames(start + data, form, 10) <= 11
