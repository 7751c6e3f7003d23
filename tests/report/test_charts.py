"""Interval and rank charts: marks where the values are, words for those who hear them, any name."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_values import HOSTILE, SIXTY, SVG, THREE, check_safe, metric, xml

from radcap.report import digits, interval_chart, rank_chart
from radcap.report.markup import visible
from radcap.report.row_chart import NARROW, WIDE, Form
from radcap.stats.comparison import Interval, Procedure

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from radcap.stats.comparison import MetricComparison

PROCEDURE = Procedure()
FORMS = pytest.mark.parametrize("form", [WIDE, NARROW], ids=["wide", "narrow"])


def rows_of(chart: Element) -> list[Element]:
    return [group for group in chart if group.tag == f"{SVG}g"]


def texts(part: Element, kind: str) -> list[str]:
    return [one.text or "" for one in part.iter(f"{SVG}text") if one.get("class") == kind]


def read_back(chart: Element) -> list[tuple[float, float, float]]:
    """Low, value and high of each row, from its marks and the labelled ticks, as an eye would."""
    lines = [float(line.get("x1", "")) for line in chart.iter(f"{SVG}line")]
    ticks = [float(label.replace(",", "")) for label in texts(chart, "tick")[: len(lines)]]
    slope = (ticks[-1] - ticks[0]) / (lines[-1] - lines[0])

    def value(x: str) -> float:
        return ticks[0] + (float(x) - lines[0]) * slope

    found: list[tuple[float, float, float]] = []
    for row in rows_of(chart):
        path = next(row.iter(f"{SVG}path")).get("d", "")
        ends = re.fullmatch(r"M([\d.]+) \d+v8m0-4H([\d.]+)m0-4v8", path)
        assert ends
        dot = next(row.iter(f"{SVG}circle")).get("cx", "")
        found.append((value(ends[1]), value(dot), value(ends[2])))
    return found


@FORMS
@pytest.mark.parametrize("compared", [THREE, metric({"a": 71.5, "b": -3.0, "c": 0.0}, half=2)])
def test_dots_and_whiskers_stand_where_the_values_are(compared: MetricComparison, form: Form) -> None:
    found = read_back(xml(interval_chart(compared, PROCEDURE, form)))
    span = max(one.interval.high for one in compared.standings) - min(
        one.interval.low for one in compared.standings
    )
    for one, (low, value, high) in zip(compared.standings, found, strict=True):
        assert low == pytest.approx(one.interval.low, abs=span / 500)
        assert value == pytest.approx(one.value, abs=span / 500)
        assert high == pytest.approx(one.interval.high, abs=span / 500)


@FORMS
def test_ranks_stand_where_they_are(form: Form) -> None:
    found = read_back(xml(rank_chart(THREE, PROCEDURE, form)))
    expected = [(one.ranks.best, one.rank, one.ranks.worst) for one in THREE.standings]
    assert found == [pytest.approx(row, abs=0.01) for row in expected]


@FORMS
def test_rows_are_best_first_with_names_letters_and_the_digits_of_the_value(form: Form) -> None:
    chart = xml(interval_chart(THREE, PROCEDURE, form))
    assert texts(chart, "name") == ["a", "b", "c"]
    assert texts(chart, "letters") == [one.letters for one in THREE.standings]
    assert texts(chart, "label") == ["0.588840", "0.576600", "0.566000"]
    tops = [float(next(row.iter(f"{SVG}circle")).get("cy", "")) for row in rows_of(chart)]
    assert tops == sorted(tops)
    assert texts(xml(rank_chart(THREE, PROCEDURE, form)), "label") == ["1 to 3", "1 to 3", "2 to 3"]


def test_hollow_dots_are_the_runs_that_the_leader_is_separable_from() -> None:
    chart = xml(interval_chart(THREE, PROCEDURE))
    assert [dot.get("class") for dot in chart.iter(f"{SVG}circle")] == ["solid", "hollow", "hollow"]
    strict = xml(interval_chart(THREE, Procedure(alpha=0.0213)))
    assert [dot.get("class") for dot in strict.iter(f"{SVG}circle")] == ["solid", "solid", "hollow"]


def test_a_chart_says_what_it_shows() -> None:
    chart = xml(interval_chart(THREE, PROCEDURE))
    assert chart.get("role") == "img"
    assert [chart[0].tag, chart[0].text] == [f"{SVG}title", "f1"]
    assert chart[1].tag == f"{SVG}desc"
    assert chart[1].text == (
        "f1 with 95 % intervals, best first: a 0.588840 [0.576340, 0.593007]; "
        "b 0.576600 [0.564100, 0.580767]; c 0.566000 [0.553500, 0.570167]."
    )
    ranks = xml(rank_chart(THREE, PROCEDURE))
    assert ranks[1].text == (
        "Ranks in f1 with 95 % ranges: "
        "a rank 1, range 1 to 3; b rank 2, range 1 to 3; c rank 3, range 2 to 3."
    )


@FORMS
@pytest.mark.parametrize("draw", [interval_chart, rank_chart])
@pytest.mark.parametrize(
    "compared",
    [
        metric({"only": 0.5}),
        metric({"a": 0.5, "b": 0.5, "c": 0.5}, half=0),
        metric({"zero": 0.0}, half=0),
        SIXTY,
        metric(dict.fromkeys(HOSTILE, 0.5), "</svg><script>"),
    ],
    ids=["one run", "equal values", "zero", "sixty runs", "hostile names"],
)
def test_any_board_is_drawn_inside_its_frame(compared: MetricComparison, form: Form, draw) -> None:
    made = draw(compared, PROCEDURE, form)
    check_safe(made)
    chart = xml(made)
    assert len(rows_of(chart)) == len(compared.standings)
    width, height = map(float, chart.get("viewBox", "").split()[2:])
    assert [chart.get("width"), chart.get("height")] == [f"{width:g}", f"{height:g}"]
    for dot in chart.iter(f"{SVG}circle"):
        assert form.left <= float(dot.get("cx", "")) <= form.right
        assert 0 < float(dot.get("cy", "")) < height - 40
    for row, one in zip(rows_of(chart), compared.standings, strict=True):
        assert (row[0].text or "").startswith(f"{visible(one.run)}: ")


def test_a_long_name_is_cut_and_stands_in_full_in_the_title() -> None:
    name = "team_" + "x" * 80 + "_run_3"
    row = rows_of(xml(interval_chart(metric({name: 0.5}), PROCEDURE)))[0]
    assert texts(row, "name")[0].startswith("team_x")
    assert texts(row, "name")[0].endswith("x_run_3")
    assert len(texts(row, "name")[0]) < 30
    assert row[0].text == f"{name}: 0.500000 [0.487500, 0.504167]"


def test_many_runs_have_the_axis_on_top_as_well() -> None:
    few, many = (xml(interval_chart(one, PROCEDURE)) for one in (THREE, SIXTY))
    assert len(texts(few, "tick")) == len(list(few.iter(f"{SVG}line")))
    assert len(texts(many, "tick")) == 2 * len(list(many.iter(f"{SVG}line")))


def test_what_has_no_place_is_not_drawn_and_keeps_its_label() -> None:
    first, second, third = THREE.standings
    nan = Interval(math.nan, math.nan)
    odd = replace(
        THREE, standings=(first, replace(second, interval=nan), replace(third, value=math.inf, interval=nan))
    )
    made = interval_chart(odd, PROCEDURE)
    check_safe(made)
    rows = rows_of(xml(made))
    assert [len(list(row.iter(f"{SVG}path"))) for row in rows] == [1, 0, 0]
    assert [len(list(row.iter(f"{SVG}circle"))) for row in rows] == [1, 1, 0]
    assert texts(xml(made), "label") == ["0.588840", "0.576600", "inf"]
    assert rows[1][0].text == "b: 0.576600 no interval"


FLOATS = st.floats() | st.floats(0, 1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(FLOATS, FLOATS, FLOATS), min_size=1, max_size=4))
def test_no_coordinate_is_ever_nan(values: list[tuple[float, float, float]]) -> None:
    standings = tuple(
        replace(THREE.standings[0], run=f"r{number}", value=value, interval=Interval(low, high))
        for number, (low, value, high) in enumerate(values)
    )
    chart = xml(interval_chart(replace(THREE, standings=standings, pairs=()), PROCEDURE))
    for part in chart.iter():
        for name in ("x", "y", "x1", "x2", "cx", "cy", "width", "height"):
            assert math.isfinite(float(part.get(name, "0")))
        assert not re.search("nan|inf", part.get("d", "") + part.get("viewBox", ""))
    assert texts(chart, "label") == [digits(value) for _, value, _ in values]
