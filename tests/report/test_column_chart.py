"""Columns: on the axis, in proportion, never invisible."""

from __future__ import annotations

import pytest
from report_values import HOSTILE, SVG, check_safe, xml

from radcap.report.column_chart import Column, column_chart
from radcap.report.markup import visible


def columns(*counts: float, step: float = 1.0) -> list[Column]:
    return [
        Column(place * step, (place + 1) * step, count, f"{place}: {count:g}")
        for place, count in enumerate(counts)
    ]


def rects(made: str) -> list[tuple[float, float, float, float]]:
    """Left, top, width and height of each column."""
    return [
        (float(x), float(y), float(width), float(height))
        for one in xml(made).iter(f"{SVG}rect")
        for x, y, width, height in [[one.get(name, "") for name in ("x", "y", "width", "height")]]
    ]


def test_heights_are_in_proportion_to_counts() -> None:
    heights = [height for *_, height in rects(column_chart(columns(400, 200, 100), "t", "u", "a"))]
    assert heights == pytest.approx([heights[0], heights[0] / 2, heights[0] / 4], abs=0.02)


def test_a_count_above_zero_is_seen_and_zero_is_not_drawn() -> None:
    drawn = rects(column_chart(columns(1_000_000, 0, 1), "t", "u", "a"))
    assert len(drawn) == 2
    assert drawn[1][3] >= 1


@pytest.mark.parametrize("width", [560, 340])
@pytest.mark.parametrize(
    "made", [[], columns(0), columns(3), columns(*range(200)), columns(5, 1, 9, step=25)]
)
def test_columns_stay_inside_the_frame(made: list[Column], width: int) -> None:
    chart = column_chart(made, "t", "u", "a", width)
    check_safe(chart)
    for left, top, wide, height in rects(chart):
        assert 0 <= left < left + wide <= width
        assert 0 <= top < top + height <= 250


def test_the_column_that_takes_the_rest_differs_by_more_than_colour() -> None:
    made = [Column(0, 1, 5, "0"), Column(1, 2, 3, "1 or more", takes_rest=True)]
    chart = xml(column_chart(made, "t", "u", "a"))
    assert [one.get("class") for one in chart.iter(f"{SVG}rect")] == ["bar", "lower"]


@pytest.mark.parametrize(("last", "ticks"), [(2, ["1", "2"]), (5, ["1", "2", "3", "4", "5"]), (1, ["1"])])
def test_ticks_are_whole_numbers(last: int, ticks: list[str]) -> None:
    made = [Column(number - 0.5, number + 0.5, 1, str(number)) for number in range(1, last + 1)]
    chart = xml(column_chart(made, "t", "unit", "a"))
    below = [one.text for one in chart.iter(f"{SVG}text") if one.get("text-anchor") == "middle"]
    assert below == [*ticks, "unit"]


@pytest.mark.parametrize(("years", "label"), [(True, "2018"), (False, "2,018")])
def test_years_have_no_separator(years: bool, label: str) -> None:
    made = [Column(year - 0.5, year + 0.5, 1, str(year)) for year in range(2015, 2022)]
    chart = xml(column_chart(made, "t", "year", "a", years=years))
    assert label in [one.text for one in chart.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_words(name: str) -> None:
    made = column_chart([Column(0, 1, 2, name)], name, name, name)
    check_safe(made)
    assert xml(made)[0].text == visible(name)
