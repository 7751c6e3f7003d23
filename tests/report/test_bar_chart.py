"""Bars that lie: one scale from zero, a name and a number for each."""

from __future__ import annotations

import pytest
from report_values import HOSTILE, SVG, check_safe, xml

from radcap.report.bar_chart import Bar, bar_chart


def bars(*values: float) -> list[Bar]:
    return [Bar(f"name {place}", value, f"{value:g}") for place, value in enumerate(values)]


def lengths(made: str) -> list[float]:
    return [float(one.get("width", "")) for one in xml(made).iter(f"{SVG}rect")]


@pytest.mark.parametrize("width", [560, 340])
def test_lengths_are_in_proportion(width: int) -> None:
    first, second, third, nothing = lengths(bar_chart(bars(80, 40, 20, 0), "t", "a", width))
    assert (second, third, nothing) == pytest.approx((first / 2, first / 4, 0), abs=0.02)


def test_a_small_count_is_seen() -> None:
    assert lengths(bar_chart(bars(1_000_000, 1), "t", "a"))[1] >= 1


@pytest.mark.parametrize("width", [560, 340])
@pytest.mark.parametrize("values", [(), (0,), (0, 0), (5,), tuple(range(40))])
def test_everything_stays_inside(values: tuple[float, ...], width: int) -> None:
    made = bar_chart(bars(*values), "t", "a", width)
    check_safe(made)
    chart = xml(made)
    height = float(chart.get("height", ""))
    for one in chart.iter(f"{SVG}rect"):
        assert 0 <= float(one.get("x", "")) + float(one.get("width", "")) <= width
        assert float(one.get("y", "")) + float(one.get("height", "")) <= height


def test_each_row_has_name_and_number_and_says_both() -> None:
    chart = xml(bar_chart([Bar("CT", 3, "3 of 4")], "Modality", "CT 3 of 4"))
    assert [one.text for one in chart.iter(f"{SVG}text")] == ["CT", "3 of 4"]
    assert [one.text for one in chart.iter(f"{SVG}title")] == ["Modality", "CT: 3 of 4"]
    assert chart[1].text == "CT 3 of 4"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bar_names(name: str) -> None:
    check_safe(bar_chart([Bar(name, 1, name)], name, name))
