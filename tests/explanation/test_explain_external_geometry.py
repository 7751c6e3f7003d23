"""Places by words, drawn arrows, key points, boxes as arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from external_samples import Told
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from scipy import ndimage

from radcap.explanation.external import FoundBox, make_provider
from radcap.explanation.external.arrows import find_arrows
from radcap.explanation.external.keypoints import corner_measure, key_points
from radcap.explanation.external.marks import pieces
from radcap.explanation.external.placing import Placed
from radcap.explanation.external.regions import around, box_mask, clipped, covered, holds, mask_box
from radcap.explanation.external.settings import ProviderSettings, SpatialSettings
from radcap.explanation.external.spatial import names_arrow, place_words, places
from radcap.explanation.external.strongest import strongest
from radcap.explanation.system import ExplainSettings, ExplainSystem
from radcap.explanation.values import Box

SHARES = st.floats(-1, 2)
MASKS = st.integers(1, 12).flatmap(
    lambda width: st.lists(st.lists(st.booleans(), min_size=width, max_size=width), min_size=1, max_size=12)
)


def sides(box: Box) -> tuple[float, float, float, float]:
    return box.left, box.top, round(box.left + box.width, 9), round(box.top + box.height, 9)


def arrow_picture(
    angle: float, *, shaft: float = 40, shade=(255, 255, 255), ground=90, size=(200, 260)
) -> tuple[np.ndarray, tuple[float, float]]:
    """An arrow over grey, and its tip in shares (across, down)."""
    height, width = size
    image = Image.new("RGB", (width, height), (ground,) * 3)
    draw = ImageDraw.Draw(image)
    ahead = np.array([math.cos(angle), math.sin(angle)])
    aside = np.array([-ahead[1], ahead[0]])
    tail = np.array([width / 2, height / 2]) - ahead * shaft / 2
    neck = tail + ahead * shaft
    tip = neck + ahead * 16
    draw.line([tuple(tail), tuple(neck)], fill=shade, width=5)
    draw.polygon([tuple(neck + 9 * aside), tuple(neck - 9 * aside), tuple(tip)], fill=shade)
    return np.asarray(image), (tip[0] / width, tip[1] / height)


@pytest.mark.parametrize(
    ("phrase", "found"),
    [
        ("pleural effusion", []),
        ("left pleural effusion", [(0.5, 0, 1, 1)]),  # the patient's left is on the right of the picture
        ("Right upper lobe mass", [(0, 0, 0.5, 0.45)]),
        ("left lower lobe", [(0.5, 0.55, 1, 1)]),
        ("middle lobe", [(0, 0.3, 1, 0.7)]),
        ("bilateral opacities", [(0, 0, 0.5, 1), (0.5, 0, 1, 1)]),
        ("left and right hilar nodes", [(0.25, 0, 0.5, 1), (0.5, 0, 0.75, 1)]),
        ("bibasal atelectasis", [(0, 0.55, 0.5, 1), (0.5, 0.55, 1, 1)]),
        ("central mass", [(0.25, 0, 0.75, 1)]),
        ("anterior mediastinum", [(0, 0, 1, 0.5)]),
        ("posterior wall", [(0, 0.5, 1, 1)]),
        ("anterior upper lobe", [(0, 0, 1, 0.45)]),  # a level says more than front and back
        ("upper and lower poles", [(0, 0, 1, 1)]),
        ("left-sided effusion", [(0.5, 0, 1, 1)]),
        ("leftover", []),
        ("", []),
    ],
)
def test_places_by_words(phrase: str, found: list[tuple[float, ...]]) -> None:
    assert [sides(one) for one in places(phrase)] == found
    assert bool(place_words(phrase)) == bool(found)


@given(st.text(max_size=40))
def test_any_text_names_boxes_within_the_picture(text: str) -> None:
    for one in places(text):
        left, top, right, bottom = sides(one)
        assert 0 <= left < right <= 1
        assert 0 <= top < bottom <= 1


@pytest.mark.parametrize(
    ("text", "found"), [("mass (white arrow)", True), ("ARROWHEADS", True), ("arrowroot", False), ("", False)]
)
def test_words_for_arrows(text: str, found: bool) -> None:
    assert names_arrow(text) is found


@given(SHARES, SHARES, SHARES, SHARES)
def test_what_is_clipped_lies_in_the_picture_or_is_no_box(left, top, right, bottom) -> None:
    box = clipped(left, top, right, bottom)
    if box is None:
        assert min(right, 1) <= max(left, 0) or min(bottom, 1) <= max(top, 0)
    else:
        assert sides(box) == pytest.approx(
            (max(left, 0), max(top, 0), min(right, 1), min(bottom, 1)), abs=1e-8
        )


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 1))
def test_a_square_around_a_point_is_moved_into_the_picture(across, down, size) -> None:
    box = around(across, down, size)
    assert (box.width, box.height) == (size, size)
    left, top, right, bottom = sides(box)
    assert min(left, top) >= -1e-9
    assert max(right, bottom) <= 1 + 1e-9
    assert left - 1e-9 <= across <= right + 1e-9
    assert top - 1e-9 <= down <= bottom + 1e-9


@given(*[st.integers(0, 8)] * 4, *[st.integers(1, 8)] * 4)
def test_covered_is_what_counting_pixels_gives(
    left, top, other_left, other_top, width, height, wide, high
) -> None:
    box = Box(left / 16, top / 16, width / 16, height / 16, 0)
    other = Box(other_left / 16, other_top / 16, wide / 16, high / 16, 0)
    one, two = box_mask(box, 16, 16), box_mask(other, 16, 16)
    assert covered(box, other) == pytest.approx((one & two).sum() / one.sum())
    assert mask_box(one) == box


def test_small_and_empty_boxes() -> None:
    assert covered(Box(0, 0, 0, 1, 0), Box(0, 0, 1, 1, 0)) == 0
    assert box_mask(Box(0.999, 0.999, 1e-6, 1e-6, 0), 4, 6).sum() == 1
    assert mask_box(np.zeros((3, 4), np.bool_)) is None
    assert holds(Box(0.5, 0.5, 0.1, 0.1, 0), 0.55, 0.55)
    assert not holds(Box(0.5, 0.5, 0.1, 0.1, 0), 0.45, 0.55)


@settings(max_examples=60)
@given(MASKS)
def test_pieces_are_those_of_scipy(rows: list[list[bool]]) -> None:
    mask = np.array(rows)
    labels = np.asarray(ndimage.label(mask, np.ones((3, 3)))[0])  # pyright: ignore[reportIndexIssue]
    numbers = range(1, int(labels.max()) + 1)
    wanted = {frozenset(map(tuple, np.argwhere(labels == one).tolist())) for one in numbers}
    assert {frozenset(map(tuple, one.tolist())) for one in pieces(mask, 1, mask.size)} == wanted
    assert all(2 <= len(one) <= 4 for one in pieces(mask, 2, 4))


@pytest.mark.parametrize("angle", np.linspace(0, 2 * math.pi, 13)[:-1])
@pytest.mark.parametrize(
    ("shade", "drawn"), [((255, 255, 255), "white"), ((0, 0, 0), "black"), ((250, 220, 0), "colour")]
)
def test_an_arrow_is_found_and_its_tip_is_where_it_was_drawn(angle, shade, drawn) -> None:
    picture, tip = arrow_picture(float(angle), shade=shade)
    (found,) = find_arrows(picture)
    assert found.drawn == drawn
    assert found.tip == pytest.approx(tip, abs=0.025)
    ahead = np.subtract(found.points_at, found.tip)
    assert float(ahead @ np.array([math.cos(angle), math.sin(angle)])) > 0


def test_what_points_beyond_the_picture_points_at_its_edge() -> None:
    picture, _ = arrow_picture(0.0, size=(300, 76))
    (found,) = find_arrows(picture)
    assert found.points_at[0] == 1.0


def blank(draw: ImageDraw.ImageDraw) -> None:
    pass


def line(draw: ImageDraw.ImageDraw) -> None:
    draw.line([(20, 20), (150, 90)], fill=(255,) * 3, width=4)


def disc(draw: ImageDraw.ImageDraw) -> None:
    draw.ellipse([40, 40, 70, 70], fill=(255,) * 3)


def large(draw: ImageDraw.ImageDraw) -> None:
    draw.polygon([(0, 80), (0, 120), (250, 199), (250, 0)], fill=(255,) * 3)


def speck(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle([40, 40, 42, 42], fill=(255,) * 3)


def letters(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle([40, 40, 44, 70], fill=(255,) * 3)
    draw.rectangle([40, 66, 60, 70], fill=(255,) * 3)


@pytest.mark.parametrize("act", [blank, line, disc, large, speck, letters])
def test_other_marks_are_no_arrows(act) -> None:
    image = Image.new("RGB", (260, 200), (90, 90, 90))
    act(ImageDraw.Draw(image))
    assert find_arrows(np.asarray(image)) == ()


@pytest.mark.parametrize("shape", [(17, 23), (1, 9), (9, 1), (2, 2)])
def test_the_measure_of_corners_is_that_of_eigenvalues_by_scipy(shape: tuple[int, int]) -> None:
    grey = np.random.default_rng(3).uniform(0, 255, shape)
    mode = "mirror" if min(shape) > 1 else "nearest"
    down, across = (ndimage.sobel(grey, axis=axis, mode=mode) for axis in (0, 1))
    sums = [9 * ndimage.uniform_filter(one, 3, mode=mode) for one in (down**2, down * across, across**2)]
    tensors = np.stack([sums[0], sums[1], sums[1], sums[2]], axis=-1).reshape(*shape, 2, 2)
    wanted = np.linalg.eigvalsh(tensors)[..., 0]
    scale = max(1.0, float(sums[0].max() + sums[2].max()))
    assert np.allclose(corner_measure(grey) / scale, wanted / scale, atol=1e-9)


def test_key_points_are_the_corners_of_a_square_in_the_box() -> None:
    picture = np.zeros((100, 200, 3), np.uint8)
    picture[30:60, 40:100] = 200
    picture[5:15, 150:170] = 255  # brighter, and outside of the box
    found = key_points(picture, Box(0, 0, 0.6, 1, 0), 9)
    assert len(found) == 4
    corners = {(x / 200, y / 100) for x in (40, 100) for y in (30, 60)}
    assert all(min(math.dist(one, corner) for one in found) < 0.02 for corner in corners)
    assert len(key_points(picture, Box(0, 0, 0.6, 1, 0), 2)) == 2
    assert key_points(np.full((9, 9, 3), 7, np.uint8), Box(0, 0, 1, 1, 0), 3) == ()


def test_the_strongest_boxes_of_each_phrase() -> None:
    boxes = [FoundBox(phrase, Box(0, 0, 1, 1, 0), score) for phrase in "ba" for score in (0.0, 0.3, 0.9, 0.5)]
    found = strongest(boxes, 0.0, 2)
    assert [(one.phrase, one.score) for one in found] == [("a", 0.9), ("a", 0.5), ("b", 0.9), ("b", 0.5)]
    assert [one.score for one in strongest(boxes, 0.9, 2)] == [0.9, 0.9]


PICTURE, TIP = arrow_picture(0.0)
AT = FoundBox("mass (arrow)", around(*TIP, 0.3), 0.8)
AWAY = FoundBox("mass (arrow)", Box(0.0, 0.0, 0.2, 0.2, 0), 0.9)
LEFT = FoundBox("left mass", Box(0.6, 0.2, 0.2, 0.2, 0), 0.8)
WRONG = FoundBox("left mass", Box(0.1, 0.2, 0.2, 0.2, 0), 0.9)


@pytest.mark.parametrize(
    ("changes", "phrase", "found", "scores"),
    [
        ({"words": True}, "left mass", (LEFT, WRONG), [0.8]),
        ({"words": False, "arrows": True}, "left mass", (LEFT, WRONG), [0.8, 0.9]),
        ({"words": True}, "left mass", (WRONG,), [0.2]),  # the place stands for it
        ({"words": True}, "mass", (), []),
        ({"arrows": True}, "mass (arrow)", (AT, AWAY), [0.8]),
        ({"arrows": True}, "mass (arrow)", (AWAY,), [0.2]),  # what the arrow points at stands for it
        ({"words": True}, "mass (arrow)", (AWAY,), [0.9]),
    ],
)
def test_boxes_are_held_to_places(changes, phrase, found, scores) -> None:
    placed = Placed(Told(found), SpatialSettings(**changes))
    assert [one.score for one in placed.boxes(PICTURE, [phrase])] == scores


def test_a_place_says_by_what_it_stands() -> None:
    placed = Placed(Told(), SpatialSettings(words=True, arrows=True, size=0.1))
    by_arrow, by_words = placed.boxes(PICTURE, ["mass (arrow)", "left mass"])
    assert (by_arrow.how, by_words.how) == ("what a drawn arrow points at", "the place that the words name")
    assert holds(by_arrow.box, *TIP)
    assert placed.boxes(np.full((50, 50, 3), 90, np.uint8), ["mass (arrow)"]) == []  # there is none


@pytest.mark.parametrize("spatial", [SpatialSettings(score=0.4), SpatialSettings(words=True, score=0.4)])
def test_words_alone_are_a_provider(spatial: SpatialSettings) -> None:
    own = ProviderSettings(kind="spatial")
    explain = ExplainSettings("external")
    system = ExplainSystem(name="a", task="explain", explain=explain, provider=own, spatial=spatial)
    provider = make_provider(system)
    assert isinstance(provider, Placed) is spatial.words
    found = provider.boxes(PICTURE, ["mass", "bilateral masses"])
    assert [(one.phrase, one.score) for one in found] == [("bilateral masses", 0.4)] * 2
