"""The end of a file: there or missing."""

from __future__ import annotations

import pytest
from image_samples import KINDS

from radcap.datasets.images.wholeness import breaks_off, is_padded


@pytest.mark.parametrize("name", KINDS)
def test_whole_files_do_not_break_off_and_halves_do(name: str) -> None:
    kind = name.split(maxsplit=1)[0].upper()
    data = KINDS[name]
    assert not breaks_off(data, kind)
    assert breaks_off(data[: len(data) // 3], kind)


def test_a_tiff_breaks_off_where_its_directory_or_its_pixels_are_missing() -> None:
    data = KINDS["tiff"]  # the directory comes first
    assert breaks_off(data[:-100], "TIFF")
    packed = KINDS["tiff lzw"]  # the directory comes last
    assert breaks_off(packed[:-300], "TIFF")
    assert not breaks_off(b"II*\0\x08\0\0\0\0\0\0\0\0\0", "TIFF")  # empty, but whole


def test_zeros_count_as_padding_only_without_an_end_mark() -> None:
    data = KINDS["jpeg"]
    assert not is_padded(data)
    assert not is_padded(data + bytes(200))
    assert not is_padded(data[:-200] + bytes(20))
    assert is_padded(data[:-200] + bytes(64))
