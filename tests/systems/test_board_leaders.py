"""The best of each edition on the board that ships."""

from __future__ import annotations

import subprocess
import sys

import pytest

from radcap.report.row_chart import NARROW, WIDE
from radcap.systems import systems_of
from radcap.systems.board.kept import kept_scores
from radcap.systems.board.leaders import leaders, leaders_chart, leaders_figure, leaders_table

FLOOR = ("radcap/random-concepts", "radcap/frequent-concepts")


def test_nobody_of_an_edition_is_better_than_its_leader() -> None:
    kept, led = kept_scores(), {one.system.edition: one for one in reversed(leaders())}
    for system in systems_of("concepts"):
        if system.name in kept and not kept[system.name].borrowed:
            assert kept[system.name].f1 <= led[system.edition].score.f1
    assert set(led) == {one.edition for one in systems_of("concepts")}


def test_editions_stand_in_order_ours_behind_them_and_the_floor_last() -> None:
    found = leaders()
    editions = [one.system.edition for one in found if one.is_published]
    assert editions == sorted(set(editions))
    assert [one.is_published for one in found] == sorted((one.is_published for one in found), reverse=True)
    assert tuple(one.name for one in found[-2:]) == FLOOR
    assert not any(one.score.borrowed for one in found)


def test_the_table_shows_what_ships() -> None:
    found = leaders()
    table = leaders_table(found)
    assert [row[0] for row in table.rows] == [one.name for one in found]
    for row, one in zip(table.rows, found, strict=True):
        score = kept_scores()[one.name]
        assert row[3:] == (f"{score.f1:.4f}", f"{score.low:.4f}-{score.high:.4f}")
        assert bool(row[2]) is ("f1" in one.system.published)


@pytest.mark.parametrize("form", [WIDE, NARROW])
def test_the_chart_names_each_and_marks_ours(form) -> None:
    found = leaders()
    drawn = leaders_chart(found, form)
    assert all(f">{one.name.removesuffix('-concepts')}<" in drawn for one in found)  # none is cut short
    assert drawn.count('class="solid"') == sum(one.is_published for one in found)
    assert drawn.count('class="hollow"') == sum(not one.is_published for one in found)
    assert drawn in leaders_figure(found)


def test_no_torch_is_loaded_for_it() -> None:
    """The base install has none."""
    code = (
        "import sys; sys.modules['torch'] = None;"
        " from radcap.systems.board.leaders import leaders; assert leaders()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
