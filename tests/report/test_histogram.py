"""Differences per image: every image that moved is in one bar, the others are counted in words."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_values import HOSTILE, SVG, check_safe, xml

from radcap.report import histogram
from radcap.report.histogram import Outcome, outcome
from radcap.report.markup import visible

NAMES = ("old", "new")
BAR = re.compile(r"([+-][\d.e-]+) to ([+-][\d.e-]+): ([\d,]+) images?")


def bars_of(made: str) -> list[tuple[float, float, int, float, float]]:
    """From, to, count, and left edge and height as drawn."""
    found: list[tuple[float, float, int, float, float]] = []
    for group in xml(made).iter(f"{SVG}g"):
        match = BAR.fullmatch(group[0].text or "")
        assert match, group[0].text
        left, height = (float(group[1].get(name, "")) for name in ("x", "height"))
        found.append((float(match[1]), float(match[2]), int(match[3].replace(",", "")), left, height))
    return found


def test_images_are_counted_by_hand() -> None:
    made = histogram([0.05, 0.1, 0.11, -0.3, 0.0, -0.0, 1.0], NAMES)
    assert [bar[:3] for bar in bars_of(made)] == [(-0.3, -0.2, 1), (0, 0.1, 2), (0.1, 0.2, 1), (0.9, 1, 1)]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1, 1) | st.sampled_from([0.0, 0.5, -0.5, 1 / 3]), max_size=30))
def test_each_image_that_moved_is_in_the_bar_around_its_difference(values: list[float]) -> None:
    bars = bars_of(histogram(values, NAMES))
    moved = [value for value in values if value]
    assert sum(count for _, _, count, _, _ in bars) == len(moved)
    for low, high, count, _, _ in bars:
        assert low * high >= 0
        wide = 1e-2 * (high - low)  # labels have three digits
        assert sum(low - wide <= value <= high + wide for value in moved) >= count
    assert [bar[3] for bar in bars] == sorted(bar[3] for bar in bars)


def test_heights_are_in_proportion_to_counts() -> None:
    bars = bars_of(histogram([0.05] * 40 + [0.95] * 10 + [-0.55] * 20, NAMES))
    assert [bar[2] for bar in bars] == [20, 40, 10]
    heights = [bar[4] for bar in bars]
    assert heights == pytest.approx([heights[1] / 2, heights[1], heights[1] / 4], abs=0.02)


@pytest.mark.parametrize("width", [760, 360])
@pytest.mark.parametrize(
    "values",
    [[], [0.0, 0.0], [1e-12], [0.5] * 1_000, [math.nan, math.inf, 0.2], [300.0, -2.0]],
    ids=["none", "all equal", "tiny", "all the same gain", "no number", "large"],
)
def test_any_differences_are_drawn_inside_the_frame(values: list[float], width: int) -> None:
    made = histogram(values, NAMES, width)
    check_safe(made)
    chart = xml(made)
    assert "nan" not in re.sub(r"<desc>.*</desc>", "", made)
    for bar in chart.iter(f"{SVG}rect"):
        left, size = float(bar.get("x", "")), float(bar.get("width", ""))
        assert 0 <= left < left + size <= width
        assert 0 <= float(bar.get("y", "")) < 250


def test_sides_differ_by_more_than_colour_and_are_named() -> None:
    chart = xml(histogram([0.2, -0.2], NAMES))
    assert [bar.get("class") for bar in chart.iter(f"{SVG}rect")] == ["lower", "higher"]
    words = [one.text for one in chart.iter(f"{SVG}text") if one.get("class") in {"name", "unit"}]
    assert words == ["\u2190 old", "new \u2192", "higher by, per image"]


def test_it_says_what_it_shows() -> None:
    chart = xml(histogram([0.2, -0.2, 0.1, 0.0], NAMES))
    assert chart[0].text == "Difference per image, new less old"
    assert chart[1].text == "new is higher on 2 images, old on 1; 1 with the same score are not drawn."
    assert chart.get("role") == "img"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(name: str) -> None:
    made = histogram([0.5], (name, name))
    check_safe(made)
    assert visible(name) in (xml(made)[0].text or "")


def test_outcome_counts_signs() -> None:
    assert outcome([0.5, -0.0, 0.0, -1e-300, math.nan]) == Outcome(higher=1, equal=2, lower=1)
