"""Stored values to grey levels, checked against pydicom's own windowing where it has one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dataset_samples import noise
from dicom_samples import GREY_VALUES, dicom_bytes, dicom_dataset, item
from pydicom.pixels.processing import apply_modality_lut, apply_voi_lut
from pydicom.sequence import Sequence

from radcap.datasets.images.colours import spread
from radcap.datasets.images.dicom import read_dicom

SIGNED = GREY_VALUES.astype(np.int16) - 1024


def levels(pixels: np.ndarray, photometric: str = "MONOCHROME2", /, **elements: Any) -> np.ndarray:
    return np.asarray(read_dicom(dicom_bytes(dicom_dataset(pixels, photometric, **elements))).image)


def by_pydicom(pixels: np.ndarray, **elements: Any) -> np.ndarray:
    """The same chain in pydicom, whose result spans what the stored bits can hold."""
    dataset = dicom_dataset(pixels, **elements)
    values = apply_voi_lut(apply_modality_lut(pixels, dataset), dataset)
    slope, intercept = float(elements.get("RescaleSlope", 1)), float(elements.get("RescaleIntercept", 0))
    low, high = (-(2**15), 2**15 - 1) if pixels.dtype.kind == "i" else (0, 2**16 - 1)
    low, high = low * slope + intercept, high * slope + intercept
    return np.rint((values - low) / (high - low) * 255).astype(np.uint8)


@pytest.mark.parametrize(
    "window",
    [
        {"WindowCenter": 1000, "WindowWidth": 800},
        {"WindowCenter": [40, 500], "WindowWidth": [400, 1500]},
        {"WindowCenter": 1000, "WindowWidth": 1},
        {"WindowCenter": 1000, "WindowWidth": 700, "VOILUTFunction": "LINEAR_EXACT"},
        {"WindowCenter": 1000, "WindowWidth": 700, "VOILUTFunction": "SIGMOID"},
    ],
    ids=["linear", "first of two", "threshold", "exact", "sigmoid"],
)
@pytest.mark.parametrize("rescale", [{}, {"RescaleSlope": 2, "RescaleIntercept": -100}], ids=["", "rescaled"])
@pytest.mark.parametrize("pixels", [GREY_VALUES, SIGNED], ids=["unsigned", "signed"])
def test_windows_equal_those_of_pydicom(pixels: np.ndarray, rescale: dict, window: dict) -> None:
    mine = levels(pixels, **window, **rescale).astype(int)
    assert (
        np.abs(mine - by_pydicom(pixels, **window, **rescale)).max() <= 1
    )  # halves are rounded in two places
    assert len(np.unique(mine)) > 1


@pytest.mark.parametrize(
    "window",
    [
        {"WindowCenter": 1000, "WindowWidth": 0},
        {"WindowCenter": 1000, "WindowWidth": -5},
        {"WindowCenter": 1000},
        {"WindowCenter": 1000, "WindowWidth": 0, "VOILUTFunction": "SIGMOID"},
    ],
)
def test_a_window_that_cannot_be_counts_as_none(window: dict) -> None:
    assert np.array_equal(levels(GREY_VALUES, **window), spread(GREY_VALUES))


@pytest.mark.parametrize("pixels", [GREY_VALUES, SIGNED, noise(4)], ids=["12 bit", "signed", "8 bit"])
def test_without_a_window_the_range_of_the_values_is_spread(pixels: np.ndarray) -> None:
    assert np.array_equal(levels(pixels), spread(pixels))


def test_padding_does_not_count_for_the_range() -> None:
    pixels = SIGNED.copy()
    pixels[0] = -30_000
    mine = levels(pixels, PixelPaddingValue=-30_000)
    assert set(mine[0].tolist()) == {0}
    assert np.array_equal(mine[1:], spread(SIGNED[1:]))


def test_monochrome1_is_turned_round() -> None:
    window = {"WindowCenter": 1000, "WindowWidth": 800}
    assert np.array_equal(levels(GREY_VALUES, "MONOCHROME1"), 255 - spread(GREY_VALUES))
    turned = levels(GREY_VALUES, "MONOCHROME1", **window)
    assert np.array_equal(turned, 255 - levels(GREY_VALUES, **window))


def test_a_voi_table_comes_before_the_window() -> None:
    entries = ((255 - np.arange(4096) // 16) * 257).astype("<u2")
    table = item(LUTDescriptor=[4096, 0, 16], LUTData=entries.tobytes())
    table[0]["LUTData"].VR = "OW"
    mine = levels(GREY_VALUES, VOILUTSequence=table, WindowCenter=5, WindowWidth=5)
    assert np.array_equal(mine, 255 - GREY_VALUES // 16)


def test_a_modality_table_is_applied() -> None:
    entries = (np.arange(4096) * 3).astype("<u2")
    table = item(LUTDescriptor=[4096, 0, 16], LUTData=entries.tobytes(), ModalityLUTType="US")
    table[0]["LUTData"].VR = "OW"
    mine = levels(GREY_VALUES, ModalityLUTSequence=table, WindowCenter=3000, WindowWidth=2000)
    plain = levels(GREY_VALUES * 3, WindowCenter=3000, WindowWidth=2000)
    assert np.array_equal(mine, plain)


def test_palettes_become_colours() -> None:
    indices = noise(7) // 64
    red, green, blue = [0, 255, 0, 128], [0, 0, 255, 128], [9, 8, 7, 6]
    tables: dict[str, Any] = {}
    for name, entries in (("Red", red), ("Green", green), ("Blue", blue)):
        tables[f"{name}PaletteColorLookupTableDescriptor"] = [4, 0, 16]
        tables[f"{name}PaletteColorLookupTableData"] = (np.array(entries) * 257).astype("<u2").tobytes()
    mine = levels(indices, "PALETTE COLOR", **tables)
    assert np.array_equal(mine, np.stack([np.array(one)[indices] for one in (red, green, blue)], -1))


def test_rgb_stays_and_ybr_is_converted() -> None:
    from pydicom.pixels.processing import convert_color_space

    colours = noise(8, colour=True)
    assert np.array_equal(levels(colours, "RGB"), colours)
    stored = convert_color_space(colours, "RGB", "YBR_FULL")
    assert np.abs(levels(stored, "YBR_FULL").astype(int) - colours).max() <= 2


def test_colours_of_sixteen_bits_become_eight() -> None:
    colours = noise(8, colour=True).astype(np.uint16) * 257
    assert np.array_equal(levels(colours, "RGB"), noise(8, colour=True))


@pytest.mark.parametrize(("frames", "shown"), [(1, 0), (2, 1), (5, 2)])
def test_the_middle_frame_is_shown(frames: int, shown: int) -> None:
    pixels = np.stack([noise(seed) for seed in range(frames)])
    assert np.array_equal(levels(pixels), spread(pixels[shown]))


def test_a_frame_has_a_window_of_its_own_or_shares_one() -> None:
    pixels = np.stack([GREY_VALUES, GREY_VALUES[::-1]])
    near: dict[str, Any]
    far: dict[str, Any]
    near, far = {"WindowCenter": 500, "WindowWidth": 300}, {"WindowCenter": 3000, "WindowWidth": 900}
    rescale = item(
        PixelValueTransformationSequence=item(RescaleSlope=2, RescaleIntercept=0, RescaleType="US")
    )
    frames = Sequence([item(FrameVOILUTSequence=item(**far))[0], item(FrameVOILUTSequence=item(**near))[0]])
    mine = levels(
        pixels, SharedFunctionalGroupsSequence=rescale, PerFrameFunctionalGroupsSequence=frames, **far
    )
    assert np.array_equal(mine, levels(GREY_VALUES[::-1] * 2, **near))
    alone = levels(pixels, SharedFunctionalGroupsSequence=item(FrameVOILUTSequence=item(**near)), **far)
    assert np.array_equal(alone, levels(GREY_VALUES[::-1], **near))
