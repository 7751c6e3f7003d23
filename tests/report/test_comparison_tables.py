"""The board, the pairs, and flat rows that keep every digit."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from report_values import HOSTILE, SIXTY, THREE, check_safe, compared, metric

from radcap.report import board_table, flat_pairs, flat_standings, pair_table
from radcap.report.comparison_tables import rank_range
from radcap.stats.comparison import Procedure, RankRange

OTHER = metric({"a": 0.2, "b": 1 / 3, "c": 0.2}, "recall", n=1_100)
BOTH = compared(THREE, OTHER)


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines(keepends=True)))


def test_the_board_ranks_by_the_primary_metric_and_shows_others_beside_it() -> None:
    table = board_table(BOTH)
    assert table.columns == ("rank", "run", "f1", "interval", "letters", "ranks", "recall")
    assert table.rows == (
        ("1", "a", "0.588840", "[0.576340, 0.593007]", "b", "1 to 3", "0.200000 ab"),
        ("2", "b", "0.576600", "[0.564100, 0.580767]", "ab", "1 to 3", "0.333333 b"),
        ("3", "c", "0.566000", "[0.553500, 0.570167]", "b", "2 to 3", "0.200000 b"),
    )
    assert table.title == "f1 on 1,200 images, 95 % intervals"
    assert table.right == {"rank", "f1", "interval"}


def test_the_board_can_rank_by_another_metric() -> None:
    table = board_table(compared(THREE, OTHER, procedure=Procedure(level=0.9)), OTHER)
    assert table.columns == ("rank", "run", "recall", "interval", "letters", "ranks", "f1")
    assert [row[:3] for row in table.rows] == [
        ("1", "b", "0.333333"),
        ("2", "a", "0.200000"),
        ("2", "c", "0.200000"),
    ]
    assert table.title == "recall on 1,100 images, 90 % intervals"


def test_a_run_that_another_metric_lacks_has_a_dash_and_counts_that_differ_are_not_in_the_title() -> None:
    short = replace(OTHER, standings=OTHER.standings[:1])
    assert [row[-1] for row in board_table(compared(THREE, short)).rows] == ["-", "0.333333 b", "-"]
    first, *rest = THREE.standings
    uneven = replace(THREE, standings=(replace(first, n=7), *rest))
    assert board_table(compared(uneven)).title == "f1, 95 % intervals"


@pytest.mark.parametrize(("best", "worst", "text"), [(1, 1, "1"), (1, 3, "1 to 3")])
def test_rank_ranges_are_words_that_no_spreadsheet_takes_for_a_day(best: int, worst: int, text: str) -> None:
    assert rank_range(RankRange(best, worst)) == text


def test_pairs_have_difference_interval_three_p_and_counts() -> None:
    table = pair_table(THREE)
    assert table.columns[:4] == ("first", "second", "difference", "interval")
    assert table.columns[4:] == ("p", "p_holm", "p_bootstrap", "wins", "ties", "losses")
    assert table.rows[0] == (
        *("a", "b", "0.012240", "[0.005140, 0.020540]"),
        *("0.007100", "0.02130", "0.003043", "1,019", "100", "81"),
    )
    assert table.title == "f1: first less second"
    assert table.right == set(table.columns[2:])


def test_one_run_has_no_pair() -> None:
    assert pair_table(metric({"only": 0.5})).rows == ()
    assert len(board_table(compared(metric({"only": 0.5}))).rows) == 1


def test_flat_standings_keep_every_digit_of_every_run_and_metric() -> None:
    rows = read(flat_standings(BOTH).to_csv())
    standings = [(one, standing) for one in BOTH.metrics for standing in one.standings]
    assert len(rows) == len(standings) == 6
    for row, (of, one) in zip(rows, standings, strict=True):
        assert (row["metric"], row["run"], row["letters"]) == (of.metric, one.run, one.letters)
        assert [float(row[name]) for name in ("value", "low", "high")] == [
            one.value,
            one.interval.low,
            one.interval.high,
        ]
        counts = [int(row[name]) for name in ("rank", "rank_best", "rank_worst", "n")]
        assert counts == [one.rank, one.ranks.best, one.ranks.worst, one.n]


def test_flat_pairs_keep_every_digit() -> None:
    rows = read(flat_pairs(BOTH).to_csv())
    pairs = [(of, one) for of in BOTH.metrics for one in of.pairs]
    assert len(rows) == len(pairs) == 6
    for row, (of, one) in zip(rows, pairs, strict=True):
        assert (row["metric"], row["first"], row["second"]) == (of.metric, one.first, one.second)
        for name in ("difference", "p", "p_holm", "p_bootstrap", "wins", "ties", "losses"):
            assert float(row[name]) == getattr(one, name)
        assert (float(row["low"]), float(row["high"])) == (one.interval.low, one.interval.high)


def test_numbers_of_numpy_are_written_as_numbers() -> None:
    first = replace(THREE.standings[0], value=np.float64(0.1))
    assert flat_standings(compared(replace(THREE, standings=(first,)))).rows[0][3] == "0.1"


def test_sixty_runs() -> None:
    board = compared(SIXTY)
    assert len(board_table(board).rows) == 60
    assert len(pair_table(SIXTY).rows) == len(flat_pairs(board).rows) == 60 * 59 / 2


def test_hostile_names_pass_through_every_form() -> None:
    hostile = compared(metric({name: 0.5 + at / 100 for at, name in enumerate(HOSTILE)}, "</td>"))
    for table in (board_table(hostile), pair_table(hostile.primary), flat_standings(hostile)):
        check_safe(table.to_html())
        assert len(table.to_markdown().split("\n")) == len(table.rows) + 2
        cells = list(csv.reader(io.StringIO(table.to_csv(), newline="")))
        assert cells[1:] == [list(row) for row in table.rows]
        assert table.to_latex().count(r"\\" + "\n") == len(table.rows) + 1


def test_the_board_says_how_many_groups_the_images_are_in() -> None:
    board = compared(metric({"a": 0.5}, n=1_200))
    assert board_table(board).title == "f1 on 1,200 images, 95 % intervals"
    assert board_table(replace(board, groups=814)).title == "f1 on 1,200 images in 814 groups, 95 % intervals"
