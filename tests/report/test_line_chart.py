"""Curves: every point where it belongs, nothing outside the frame."""

from __future__ import annotations

import pytest
from report_values import HOSTILE, SVG, check_safe, xml

from radcap.report.axis import axis_over
from radcap.report.line_chart import area_chart, line_chart
from radcap.report.log_axis import log_axis

WORDS = ("title", "unit", "about")


def points(made: str, kind: str = "polyline") -> list[tuple[float, float]]:
    found = next(xml(made).iter(f"{SVG}{kind}")).get("points", "")
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in found.split())]


@pytest.mark.parametrize("width", [560, 340])
def test_points_lie_on_both_axes(width: int) -> None:
    axes = axis_over((0, 100)), log_axis(100)
    made = line_chart([(0, 100), (50, 10), (100, 1)], axes, WORDS, width=width)
    check_safe(made)
    (x1, y1), (x2, y2), (x3, y3) = points(made)
    assert (x2, y2) == pytest.approx(((x1 + x3) / 2, (y1 + y3) / 2), abs=0.02)
    assert 0 <= x1 < x3 <= width
    assert 0 <= y1 < y3 <= 250


def test_guides_are_named_lines() -> None:
    made = line_chart([(1, 1)], (log_axis(10), log_axis(100)), WORDS, guides=[(10, "ten")])
    chart = xml(made)
    assert [one.get("class") for one in chart.iter(f"{SVG}line")].count("guide") == 1
    assert "ten" in [one.text for one in chart.iter(f"{SVG}text")]


def test_a_curve_of_no_points_has_axes_only() -> None:
    made = line_chart([], (log_axis(10), log_axis(10)), WORDS)
    check_safe(made)
    assert list(xml(made).iter(f"{SVG}polyline")) == []


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [3.0], [0.1, 0.7, 0.2], [1e-9] * 128])
def test_a_small_curve_uses_its_height(values: list[float]) -> None:
    made = area_chart(values, "title", "about", ("black", "white"))
    check_safe(made)
    if values:
        heights = [y for _, y in points(made)]
        assert 0 <= min(heights) <= max(heights) <= 92
        assert heights[values.index(max(values))] == min(heights)


def test_the_area_stands_on_the_floor() -> None:
    made = area_chart([1.0, 2.0], "title", "about", ("black", "white"), 100)
    assert points(made, "polygon") == [(0, 92), (0, 50), (100, 8), (100, 92)]
    assert [one.text for one in xml(made).iter(f"{SVG}text")] == ["black", "white"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_curve_names(name: str) -> None:
    check_safe(area_chart([1.0], name, name, (name, name)))
    check_safe(line_chart([(1, 1)], (log_axis(10), log_axis(10)), (name, name, name), guides=[(2, name)]))
