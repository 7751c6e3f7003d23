"""What a file is, by its first bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from image_samples import KINDS

from radcap.datasets.images.sniffing import ENDINGS, described, ending_of, kind_of


@pytest.mark.parametrize("name", KINDS)
def test_images_are_told_by_content(name: str) -> None:
    assert kind_of(KINDS[name]) == name.split(maxsplit=1)[0].upper()


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"II+\0" + bytes(20), "TIFF"),
        (b"MM\0*" + bytes(20), "TIFF"),
        (bytes(128) + b"DICM", "DICOM"),
        (b"\x08\0\x05\0CS\x0a\0ISO_IR 100", "DICOM"),  # explicit, no preamble
        (b"\x08\0\x16\0\x1a\0\0\0001.2.840.10008", "DICOM"),  # implicit, no preamble
        (b"\x08\0\x05\0\xff\xff\xff\xff" + bytes(20), ""),  # no first value is that long
        (b"\x08\0\x05\0CS", ""),  # too short to be one
        (b"\x08\0\xff\x07CS" + bytes(20), ""),
        (b"BM is how this text starts, and on it goes", ""),
        (b"RIFF\0\0\0\0WAVEfmt ", ""),
        (b"", ""),
    ],
)
def test_starts_that_need_a_second_look(start: bytes, kind: str) -> None:
    assert kind_of(start) == kind


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<!DOCTYPE html><html>", "HTML"),
        (b"\xef\xbb\xbf \n<html lang=en>", "HTML"),
        (b'<?xml version="1.0"?><article>', "XML"),
        (b'<?xml version="1.0"?>\n<svg>', "an SVG drawing"),
        (b"<Error><Code>AccessDenied</Code></Error>", "XML"),
        (b"%PDF-1.7", "a PDF"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0",
            "a Git LFS pointer instead of the file",
        ),
        (b"404: Not Found", "text"),
        ("Não há".encode(), "text"),
        (b"x" * 511 + "ä".encode(), "text"),
        (b"PAR1", "Parquet"),
        (b"\0\0\0\x18ftypheic", "HEIC, AVIF or a video"),
        (bytes(700), "nothing but zero bytes"),
        (b"\x01\x02\x03\xfe", "data of an unknown kind"),
        (b"bell\x07", "data of an unknown kind"),
    ],
)
def test_what_is_no_image_is_named(data: bytes, words: str) -> None:
    assert kind_of(data) == ""
    assert described(data) == words


def test_the_ending_follows_the_content_and_else_the_name() -> None:
    assert ending_of(KINDS["png"], "a.jpg") == ".png"
    assert ending_of(b"text", "folder.d/A.JPEG") == ".jpeg"
    assert set(ENDINGS) >= {name.split()[0].upper() for name in KINDS}


@given(st.binary(max_size=300))
def test_any_bytes_are_told_without_an_error(data: bytes) -> None:
    assert kind_of(data) in {"", *ENDINGS}
    assert described(data)
