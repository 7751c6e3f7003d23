"""A picture in its square."""

from __future__ import annotations

import hashlib
import zlib

import numpy as np
import pytest
from image_samples import KINDS, RGB, saved

from radcap.datasets.images.fitting import fit
from radcap.datasets.images.letterbox import ROW, digest_of, letterbox


def boxed(data: bytes, size: int = 32, channels: int = 3) -> tuple[np.ndarray, np.ndarray]:
    square, row = np.full((size, size, channels), 77, np.uint8), np.ones(1, ROW)
    letterbox(data, "x", square, row)
    return square, row[0]


@pytest.mark.parametrize(
    ("size", "box"),
    [
        ((64, 32), (8, 0, 16, 32)),
        ((32, 64), (0, 8, 32, 16)),
        ((50, 50), (0, 0, 32, 32)),
        ((60, 40), (5, 0, 21, 32)),
    ],
)
@pytest.mark.parametrize("channels", [1, 3])
def test_the_picture_lies_in_the_middle_on_black(
    size: tuple[int, int], box: tuple[int, ...], channels: int
) -> None:
    data = saved(RGB.resize(size), "PNG")
    square, row = boxed(data, channels=channels)
    top, left, height, width = box
    assert tuple(row["box"].tolist()) == box
    assert tuple(row["original"].tolist()) == size
    fitted = fit(data, "x", 32, channels).pixels
    assert np.array_equal(square[top : top + height, left : left + width], fitted)
    square[top : top + height, left : left + width] = 0
    assert not square.any()


def test_a_row_knows_its_pixels() -> None:
    square, row = boxed(KINDS["jpeg"])
    assert row["checksum"] == zlib.crc32(square.tobytes())
    assert row["code"] == 0


def test_a_refused_image_is_black_with_the_number_of_its_code() -> None:
    square, row = boxed(b"<html>")
    assert not square.any()
    assert not row["box"].any()
    assert not row["original"].any()
    assert row["code"] == 103
    assert row["digest"].all()  # it is the caller's
    assert row["checksum"] == zlib.crc32(square.tobytes())


def test_the_digest_of_a_file_is_its_sha256() -> None:
    assert digest_of(b"abc").tobytes() == hashlib.sha256(b"abc").digest()
