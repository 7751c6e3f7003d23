"""Colours, overlays, contours and boxes, against other libraries and brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from explanation_samples import blob, sample_picture
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from PIL import Image
from scipy import ndimage

from radcap.core import UsageError
from radcap.explanation.pictures import boxes_of, contour, heat, overlay
from radcap.explanation.pictures.colours import AGAINST, FOR, PAPER, TAGS, Scale, ink_on, tag
from radcap.explanation.pictures.contour import grown, region_edge, smooth_contour
from radcap.explanation.pictures.regions import labelled
from radcap.explanation.pictures.relevance import fitted, scaled, shares

# Machado, Oliveira and Fernandes (2009), full severity, over linear light.
DICHROMACIES = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
MASKS = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=14))
SCALES = pytest.mark.parametrize("scale", [FOR, AGAINST], ids=["for", "against"])


def regions_of(mask: np.ndarray, structure: np.ndarray | None = None) -> tuple[np.ndarray, int]:
    found: Any = ndimage.label(mask, structure)
    return found


def linear(colours: np.ndarray) -> np.ndarray:
    part = colours / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def oklab_lightness(light: np.ndarray) -> np.ndarray:
    """Forward, by the matrices of the definition; the code only has their inverses."""
    cones = (
        light
        @ np.array(
            [
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ]
        ).T
    )
    return np.cbrt(cones) @ np.array([0.2104542553, 0.7936177850, -0.0040720468])


@SCALES
def test_lightness_rises_at_every_step_and_steps_are_even(scale: Scale) -> None:
    path = scale.path
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert (np.diff(path[:, 0]) > 0).all()
    assert steps.max() / steps.min() < 1.2
    assert np.allclose(oklab_lightness(linear(scale.table)), path[:, 0], atol=0.006)  # inside the gamut


@SCALES
@pytest.mark.parametrize("sight", DICHROMACIES)
def test_the_order_is_kept_for_every_kind_of_sight(scale: Scale, sight: str) -> None:
    seen = np.clip(linear(scale.table) @ np.array(DICHROMACIES[sight]).T, 0, 1)
    assert (np.diff(oklab_lightness(seen)[::4]) > 0).all()


@SCALES
def test_the_order_is_kept_in_grey_print(scale: Scale) -> None:
    grey = np.asarray(Image.fromarray(scale.table[None]).convert("L"))[0].astype(int)
    assert (np.diff(grey[::4]) > 0).all()


def test_values_beyond_the_scale_are_its_ends() -> None:
    assert FOR(np.array([-1.0, 0.0, 1.0, 7.0])).tolist() == [
        FOR.table[0].tolist(),
        FOR.table[0].tolist(),
        FOR.table[-1].tolist(),
        FOR.table[-1].tolist(),
    ]


def test_tags_differ_for_every_kind_of_sight() -> None:
    sights = [np.eye(3), *map(np.array, DICHROMACIES.values())]
    for sight in sights:
        seen = np.clip(linear(np.array(TAGS)) @ sight.T, 0, 1) ** (1 / 2.2)
        far = np.abs(seen[:, None] - seen[None]).max(axis=-1) + np.eye(len(TAGS))
        assert far.min() > 0.1
    assert tag(1) == TAGS[0]
    assert tag(8) == tag(30) == TAGS[-1]


def test_the_ink_on_a_tag_has_contrast() -> None:
    weights = np.array([0.2126, 0.7152, 0.0722])
    for colour in TAGS:
        one, other = sorted([float(linear(np.array(c)) @ weights) for c in (colour, ink_on(colour))])
        assert (other + 0.05) / (one + 0.05) >= 4.4
    assert ink_on((0, 0, 0)) == PAPER
    assert ink_on((255, 255, 255)) == (0, 0, 0)


def test_heat_is_opaque_by_relevance_and_blue_where_it_speaks_against() -> None:
    drawn = heat(np.array([[0.0, 1.0, 2.0], [-1.0, -2.0, 0.5]], np.float32), 0.5)
    assert drawn[..., 3].tolist() == [[0, 64, 128], [64, 128, 32]]
    assert drawn[0, 2, :3].tolist() == FOR.table[-1].tolist()
    assert drawn[1, 1, :3].tolist() == AGAINST.table[-1].tolist()


def test_a_map_of_nothing_draws_nothing() -> None:
    nothing, picture = np.zeros((128, 128), np.float32), sample_picture()
    assert not heat(nothing)[..., 3].any()
    assert not contour(nothing).any()
    assert (overlay(picture, nothing) == picture).all()
    assert boxes_of(nothing) == boxes_of(-blob(0.5, 0.5, 0.2)) == ()


def test_an_overlay_is_what_pillow_composes() -> None:
    picture, relevance = sample_picture(), blob(0.3, 0.6, 0.2) - blob(0.8, 0.2, 0.1)
    ours = overlay(picture, relevance, 0.7).astype(int)
    back = Image.fromarray(picture).convert("RGBA")
    theirs = np.asarray(Image.alpha_composite(back, Image.fromarray(heat(relevance, 0.7))))[..., :3]
    assert np.abs(ours - theirs).max() <= 1


@settings(max_examples=60)
@given(MASKS)
def test_edges_and_growth_are_those_of_scipy(mask: np.ndarray) -> None:
    inner = np.asarray(ndimage.binary_erosion(mask, border_value=1), dtype=bool)
    assert (region_edge(mask) == (mask & ~inner)).all()
    square = np.ones((3, 3), dtype=bool)
    assert (grown(mask, 2) == ndimage.binary_dilation(mask, square, iterations=2)).all()
    assert grown(mask, 0) is mask


def test_contours_lie_at_their_levels_white_between_dark() -> None:
    relevance = blob(0.5, 0.5, 0.3)
    drawn = contour(relevance, (0.5,))
    white = (drawn == 255).all(axis=-1)
    dark = (drawn[..., 3] > 0) & ~white
    assert np.abs(relevance[white] - 0.5).max() < 0.05
    assert (ndimage.binary_dilation(white, np.ones((3, 3))) == (white | dark)).all()
    assert regions_of(white, np.ones((3, 3)))[1] == 1
    assert regions_of((contour(relevance) == 255).all(axis=-1), np.ones((3, 3)))[1] == 2


def test_smooth_contours_are_the_mean_of_finer_ones() -> None:
    relevance = blob(0.4, 0.5, 0.3, (40, 60))
    fine = contour(scaled(relevance, 120, 80), thick=1, edge=2)
    theirs = np.asarray(Image.fromarray(fine).resize((60, 40), Image.Resampling.BOX))
    ours = smooth_contour(relevance, 60, 40)
    assert np.abs(ours.astype(int) - theirs)[ours[..., 3] > 0].max() <= 2
    assert (ours[..., 3].astype(int) - theirs[..., 3]).max() <= 1


@settings(max_examples=120)
@given(MASKS)
def test_regions_are_those_of_scipy(mask: np.ndarray) -> None:
    ours, count = labelled(mask)
    theirs, expected = regions_of(mask)
    assert count == expected
    assert (ours == theirs).all()  # both count in reading order


@pytest.mark.parametrize("size", [(0, 0), (0, 5), (1, 1), (90, 70)])
def test_regions_of_any_size(size: tuple[int, int]) -> None:
    mask = np.random.default_rng(0).random(size) < 0.59  # about where regions become endless
    assert labelled(mask)[1] == regions_of(mask)[1]


@settings(max_examples=60)
@given(
    arrays(
        np.float32,
        array_shapes(min_dims=2, max_dims=2, max_side=9),
        elements=st.sampled_from([-1, 0, 1, 3, 4]),
    )
)
def test_boxes_are_those_of_brute_force(relevance: np.ndarray) -> None:
    above = np.maximum(relevance, 0)
    found = boxes_of(relevance, 0.5, 99)
    if above.max() <= 0:
        assert found == ()
        return
    labels, count = regions_of(above >= above.max() / 2)
    height, width = relevance.shape
    expected = []
    for place, (rows, columns) in enumerate(ndimage.find_objects(labels), 1):
        share = above[labels == place].sum() / above.sum()
        box = (columns.start / width, rows.start / height, columns.stop / width, rows.stop / height)
        expected.append((round(-share, 6), place, box))
    expected = [one for one in sorted(expected) if -one[0] >= 0.02]
    assert len(found) == len(expected) <= count
    for one, (share, _, box) in zip(found, expected, strict=True):
        assert (one.left, one.top, one.left + one.width, one.top + one.height) == pytest.approx(box)
        assert one.share == pytest.approx(-share, abs=1e-5)
    assert sum(one.share for one in found) <= 1 + 1e-9


def test_specks_and_what_is_beyond_the_wanted_number_are_dropped() -> None:
    many = sum(blob(x, y, 0.05) for x in (0.2, 0.8) for y in (0.2, 0.8))
    assert len(boxes_of(np.asarray(many))) == 3
    assert len(boxes_of(np.asarray(many), most=1)) == 1
    speck = blob(0.5, 0.5, 0.2)
    speck[0, 0] = 0.9
    assert len(boxes_of(speck)) == 1


@pytest.mark.parametrize("threshold", [0.0, -0.1, 1.01, float("nan")])
def test_a_threshold_that_is_no_share_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="no share of the maximum"):
        boxes_of(np.ones((2, 2)), threshold)


def test_shares_and_sizes() -> None:
    assert shares(np.array([[2.0, -4.0]])).tolist() == [[0.5, -1.0]]
    assert shares(np.zeros((2, 2))).tolist() == [[0, 0], [0, 0]]
    assert scaled(np.ones((4, 6)), 3, 2).shape == (2, 3)
    assert fitted(1000, 10, 100) == (100, 1)
    assert fitted(10_000, 10, 100) == (100, 1)
    assert fitted(40, 20, 100) == (40, 20)
