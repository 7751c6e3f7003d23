"""Points: each where its values belong, named where that is asked for, inside of the frame."""

from __future__ import annotations

import pytest
from report_values import HOSTILE, SVG, check_safe, xml

from radcap.report.scatter_chart import Point, scatter_chart

TITLES = ("BLEU", "ROUGE-1")
FEW = (
    Point(0.0, 0.1, "left", "low"),
    Point(0.25, 0.3, "middle", "half", solid=False, is_named=True),
    Point(0.5, 0.5, "right", "high", is_named=True),
)


def circles(made: str) -> list[tuple[float, float]]:
    return [(float(one.get("cx", "")), float(one.get("cy", ""))) for one in xml(made).iter(f"{SVG}circle")]


@pytest.mark.parametrize("width", [640, 360])
def test_points_lie_on_both_axes(width: int) -> None:
    made = scatter_chart(FEW, TITLES, "about", width)
    check_safe(made)
    (x1, y1), (x2, y2), (x3, y3) = circles(made)
    assert (x2, y2) == pytest.approx(((x1 + x3) / 2, (y1 + y3) / 2), abs=0.02)
    assert 0 <= x1 < x3 <= width
    assert 0 <= y3 < y1 <= width
    classes = [one.get("class") for one in xml(made).iter(f"{SVG}circle")]
    assert classes == ["solid", "hollow", "solid"]


def test_some_are_named_where_there_is_room_and_all_are_told() -> None:
    chart = xml(scatter_chart(FEW, TITLES, "about"))
    labels = {
        one.text: one.get("text-anchor") for one in chart.iter(f"{SVG}text") if one.get("class") == "label"
    }
    assert labels.keys() == {"middle", "right"}
    assert labels["right"] == "end"
    told = [one.text for one in chart.iter(f"{SVG}title")]
    assert told == ["ROUGE-1 over BLEU", "left: low", "middle: half", "right: high"]
    units = [one.text for one in chart.iter(f"{SVG}text") if one.get("class") == "unit"]
    assert sorted(map(str, units)) == ["BLEU", "ROUGE-1"]
    (first,) = [
        one.get("text-anchor")
        for one in xml(
            scatter_chart([Point(0, 0, "a", "", is_named=True), Point(1, 1, "b", "")], TITLES, "")
        ).iter(f"{SVG}text")
        if one.get("class") == "label"
    ]
    assert first == "start"


def test_what_has_no_place_is_not_drawn() -> None:
    made = scatter_chart([*FEW, Point(float("nan"), 0.5, "lost", "")], TITLES, "about")
    check_safe(made)
    assert len(circles(made)) == 3
    assert "lost" not in made
    check_safe(scatter_chart([], TITLES, "about"))


@pytest.mark.parametrize("name", HOSTILE)
def test_names_cannot_break_out(name: str) -> None:
    check_safe(scatter_chart([Point(0.1, 0.2, name, name, is_named=True)], (name, name), name))
