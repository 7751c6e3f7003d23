"""DICOM files: what is read, what is refused, and that nobody's name leaves."""

from __future__ import annotations

import builtins
import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest
from dicom_samples import GREY_VALUES, PRIVATE, dicom_bytes, dicom_dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from pydicom.uid import (
    DeflatedExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    RLELossless,
)

from radcap.core import Missing
from radcap.datasets.images import ImageLimits, decode, fit, kind_of
from radcap.datasets.images.colours import spread
from radcap.datasets.images.dicom import DicomFacts, read_dicom
from radcap.datasets.refusal import ImageRefused

SAMPLE = dicom_bytes(dicom_dataset(GREY_VALUES))


def code_of(data: bytes, **options: Any) -> str:
    with pytest.raises(ImageRefused) as caught:
        read_dicom(data, "slice.dcm", **options)
    return caught.value.code


@pytest.mark.parametrize("syntax", [ImplicitVRLittleEndian, ExplicitVRLittleEndian, ExplicitVRBigEndian])
def test_every_plain_transfer_syntax_gives_the_same_picture(syntax: Any) -> None:
    data = dicom_bytes(dicom_dataset(GREY_VALUES), syntax)
    assert kind_of(data) == "DICOM"
    assert np.array_equal(np.asarray(read_dicom(data).image), spread(GREY_VALUES))


def test_run_length_coding_is_decoded() -> None:
    data = dicom_bytes(dicom_dataset(GREY_VALUES), RLELossless, compress=True)
    assert np.array_equal(np.asarray(read_dicom(data).image), spread(GREY_VALUES))


@pytest.mark.parametrize("syntax", [ImplicitVRLittleEndian, ExplicitVRLittleEndian])
def test_a_file_without_preamble_is_found_and_read(syntax: Any) -> None:
    data = dicom_bytes(dicom_dataset(GREY_VALUES), syntax, preamble=False)
    assert data[128:132] != b"DICM"
    assert kind_of(data) == "DICOM"
    assert np.array_equal(np.asarray(decode(data)), spread(GREY_VALUES))


def test_the_common_decoder_and_fitting_read_dicom() -> None:
    assert np.array_equal(np.asarray(decode(SAMPLE, "a.dcm")), spread(GREY_VALUES))
    fitted = fit(SAMPLE, "a.dcm", 24)
    assert fitted.pixels.shape == (16, 24, 3)
    assert (fitted.width, fitted.height) == (48, 32)


def test_facts_tell_of_the_picture_and_of_nobody() -> None:
    result = read_dicom(SAMPLE)
    assert result.facts == DicomFacts("CT", "CHEST", "PA", "L", "MONOCHROME2", 32, 48)
    shown = repr(dataclasses.asdict(result.facts)) + repr(result.image.info)
    assert not any(word in shown for word in PRIVATE)
    assert not result.image.info


@pytest.mark.parametrize("value", ["Doe, Jane", "chest of Jane", "A" * 17, ""])
def test_free_text_in_a_code_is_not_passed_on(value: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydicom writes it and shakes its head
        data = dicom_bytes(dicom_dataset(GREY_VALUES, BodyPartExamined=value, ImageLaterality=value))
    facts = read_dicom(data).facts
    assert (facts.body_part, facts.laterality) == ("", "")


def test_laterality_of_the_series_stands_in_for_that_of_the_image() -> None:
    data = dicom_bytes(dicom_dataset(GREY_VALUES, ImageLaterality="", Laterality="R"))
    assert read_dicom(data).facts.laterality == "R"


def test_names_burnt_into_the_pixels_are_refused_unless_allowed() -> None:
    data = dicom_bytes(dicom_dataset(GREY_VALUES, BurnedInAnnotation="YES"))
    assert code_of(data) == "IMG108"
    assert read_dicom(data, allow_burned_in=True).image.size == (48, 32)
    assert read_dicom(dicom_bytes(dicom_dataset(GREY_VALUES, BurnedInAnnotation="NO"))).image.mode == "L"


@pytest.mark.parametrize(
    ("data", "options", "code"),
    [
        (b"", {}, "IMG102"),
        (b"<html>", {}, "IMG103"),
        (b"\x89PNG\r\n\x1a\n", {}, "IMG103"),
        (SAMPLE, {"limits": ImageLimits(size_bytes=100)}, "IMG107"),
        (SAMPLE, {"limits": ImageLimits(pixels=100)}, "IMG105"),
        (
            dicom_bytes(dicom_dataset(np.stack([GREY_VALUES] * 5))),
            {"limits": ImageLimits(frames=4)},
            "IMG106",
        ),
        (dicom_bytes(dicom_dataset(GREY_VALUES), DeflatedExplicitVRLittleEndian), {}, "IMG109"),
        (SAMPLE[: len(SAMPLE) // 2], {}, "IMG109"),
        (SAMPLE[:200], {}, "IMG109"),
        (bytes(128) + b"DICM" + bytes(50), {}, "IMG109"),
    ],
    ids=["empty", "html", "png", "bytes", "pixels", "frames", "deflated", "half", "start", "zeros"],
)
def test_what_cannot_be_used_is_refused(data: bytes, options: dict[str, Any], code: str) -> None:
    assert code_of(data, **options) == code


def test_a_file_without_a_picture_is_refused() -> None:
    dataset = dicom_dataset(GREY_VALUES)
    del dataset.PixelData
    with pytest.raises(ImageRefused, match="it holds no picture"):
        read_dicom(dicom_bytes(dataset))


def test_a_transfer_syntax_that_needs_another_decoder_is_refused_with_its_name() -> None:
    dataset = dicom_dataset(GREY_VALUES)
    data = dicom_bytes(dataset, RLELossless, compress=True)
    data = data.replace(b"1.2.840.10008.1.2.5\0", b"1.2.840.10008.1.2.9\0")
    with pytest.raises(ImageRefused, match=r"1\.2\.840\.10008\.1\.2\.9"):
        read_dicom(data)


def test_a_claim_of_too_many_pixels_is_refused_before_decoding() -> None:
    data = dicom_bytes(dicom_dataset(GREY_VALUES, Rows=65_000, Columns=65_000))
    assert code_of(data) == "IMG105"


def test_without_pydicom_the_way_to_get_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def lacking(name: str, *rest: Any) -> Any:
        if name == "pydicom":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", lacking)
    with pytest.raises(Missing, match=r"Run: pip install 'radcap\[dicom\]'") as caught:
        decode(SAMPLE)
    assert caught.value.what == "pydicom"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1100), st.integers(0, 255)), min_size=1, max_size=8))
def test_mutated_files_give_a_picture_or_a_refusal(changes: list[tuple[int, int]]) -> None:
    data = bytearray(SAMPLE)
    for place, byte in changes:
        data[place] = byte
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = decode(bytes(data)).mode
        except ImageRefused as refused:
            result = refused.code
    assert result in {"L", "RGB", *(f"IMG10{number}" for number in range(3, 10))}
    assert not caught, [str(one.message) for one in caught]


def test_a_broken_length_is_refused_though_pydicom_raises_an_error_of_its_own() -> None:
    data = bytearray(SAMPLE)
    data[138] = 1
    with pytest.raises(ImageRefused) as refused:
        decode(bytes(data))
    assert refused.value.code == "IMG109"
