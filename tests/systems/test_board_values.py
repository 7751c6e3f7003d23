"""The values of a board, counted again by hand: scores, intervals, parts of the test split, and lessons."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from board_samples import ANGIO, CHEST, CT, MRI, US, XRAY, board_of, handed_in, labelled, tiny
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.metrics import score_concepts
from radcap.systems import system_names
from radcap.systems.board import board as boards
from radcap.systems.board import kept
from radcap.systems.board.board import Board, BoardRow, modality_of_each
from radcap.systems.board.kept import KeptScore, kept_scores, to_keep
from radcap.systems.board.lessons import concordance, cost_table, edition_table, family_table
from radcap.systems.board.limits import Limit, limits
from radcap.systems.board.results import BoardFolder, Result
from radcap.systems.board.shifts import BASELINE, shifts
from radcap.systems.board.tables import (
    changes_table,
    limit_table,
    modality_table,
    ranking_table,
    shift_table,
    untrained_table,
)
from radcap.systems.board.writing import write_board

ROCOV2 = {CT: 27_747, XRAY: 21_997, MRI: 12_657, US: 11_429, ANGIO: 4_799}
_ORDER = (CT, XRAY, MRI, US, ANGIO)
MANY = 80
MANUAL = [[_ORDER[n % 5], CHEST] if n % 7 else [CHEST] for n in range(MANY - 1)] + [[CT, MRI]]
TRUTH = [[*one, *(f"C000000{n}" for n in range(row % 5))] for row, one in enumerate(MANUAL)]
GROUPS = [f"case_{n // 2}" if n % 3 else "" for n in range(MANY)]
SOURCES = ["one" if n < 12 else "two" if n < 60 else "" for n in range(MANY)]
DATA = labelled(TRUTH, MANUAL, GROUPS, SOURCES)
RUNS = {
    "good": [one[: 1 + row % 3] for row, one in enumerate(TRUTH)],
    BASELINE: [[one[0]] if row % 2 else [CHEST, "C9999999"] for row, one in enumerate(TRUTH)],
    "bad": [["C9999998"] for _ in TRUTH],
    "again": [one[: 1 + row % 3] for row, one in enumerate(TRUTH)],
}
SYSTEMS = [
    tiny("bad", edition="2024", team="B"),
    tiny(BASELINE, edition="rocov2", team="R", family="linear", published={"f1": 0.5}),
    tiny("good", edition="2025", team="G", family="linear", published={"f1": 0.6}),
    tiny("again", edition="2025", team="A", published={"f1": 0.4}),
    tiny("gone", edition="2025"),
    tiny("never"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BoardFolder:
    members = {"good": 3, "bad": 1, BASELINE: 5, "again": 2}
    facts = {
        "members": members,
        "borrowed": {"again": True},
        "changes": {"good": ("frozen", "8 epochs for 20")},
    }
    board = handed_in(tmp_path_factory.mktemp("board"), RUNS, DATA, **facts)
    board.write(Result("gone", "mark", "tiny", why_not="Weights are missing."))
    return board


@pytest.fixture(scope="module")
def board(folder: BoardFolder) -> Board:
    return board_of(SYSTEMS, folder, DATA)


def values_of(said: Sequence[Sequence[str]]) -> list[float]:
    """F1 of each image, written out."""
    pairs = zip(said, TRUTH, strict=True)
    return [2 * len(set(a) & set(b)) / (len(set(a)) + len(set(b))) for a, b in pairs]


def known(value: float | None) -> float:
    assert value is not None
    return value


def test_scores_are_those_of_the_scorer_and_of_the_formula(board: Board, folder: BoardFolder) -> None:
    truth, manual = (dict(zip(DATA.ids, some, strict=True)) for some in (TRUTH, MANUAL))
    for name, said in RUNS.items():
        row, report = board.row(name), score_concepts(folder.run(name), truth, edition="2025", manual=manual)
        assert row.f1 == report["f1"].value
        assert row.f1_manual == report["f1_manual"].value
        assert row.f1 == pytest.approx(sum(values_of(said)) / MANY)
        assert list(board.values[name]) == pytest.approx(values_of(said))
    assert board.ids == tuple(DATA.ids)


def test_intervals_hold_the_value_and_follow_groups(board: Board, folder: BoardFolder) -> None:
    for one in board.rows:
        assert one.f1_low <= one.f1 <= one.f1_high
        low, manual, high = (known(value) for value in (one.manual_low, one.f1_manual, one.manual_high))
        assert low <= manual <= high
    assert board.row("bad").f1_low == board.row("bad").f1_high == 0
    assert board.row(BASELINE).f1_low < board.row(BASELINE).f1_high
    halves = labelled(TRUTH, MANUAL, [f"half_{n % 2}" for n in range(MANY)])
    wide = board_of([one for one in SYSTEMS if one.name == BASELINE], folder, halves).row(BASELINE)
    means = [sum(values_of(RUNS[BASELINE])[n::2]) / (MANY / 2) for n in range(2)]
    assert (wide.f1_low, wide.f1_high) == pytest.approx((min(means), max(means)))


def test_letters_follow_groups(folder: BoardFolder) -> None:
    """What separates two systems over single images does not where all images are of two groups."""
    two = [one for one in SYSTEMS if one.name in {"good", "bad"}]
    halves = labelled(TRUTH, MANUAL, [f"half_{n % 2}" for n in range(MANY)])
    assert [one.letters for one in board_of(two, folder, DATA).rows] == ["a", "b"]
    assert [one.letters for one in board_of(two, folder, halves).rows] == ["a", "a"]


def test_rows_stand_best_first_with_ranks_and_letters(board: Board) -> None:
    assert {one.name for one in board.rows[:2]} == {"good", "again"}
    assert [one.name for one in board.rows[2:]] == [BASELINE, "bad"]
    assert [one.rank for one in board.rows] == [1, 1, 3, 4]
    letters = {one.name: set(one.letters) for one in board.rows}
    assert letters["good"] == letters["again"]
    assert not letters["good"] & letters[BASELINE]
    assert not letters[BASELINE] & letters["bad"]


def test_a_board_tells_what_it_was_scored_on(board: Board) -> None:
    assert (board.data, board.images) == ("made", MANY)
    assert board.groups == len({group or image for group, image in zip(GROUPS, DATA.ids, strict=True)})
    assert [one.name for one in board.not_trained] == ["gone", "never"]
    told = json.loads(json.dumps(board.to_json()))
    assert told["edition"] == "2025"
    assert [one["name"] for one in told["rows"]] == [one.name for one in board.rows]
    assert told["rows"][0]["result"]["members"] == board.rows[0].result.members
    assert [one["why_not"] for one in told["not_trained"]] == ["Weights are missing.", "Not trained yet."]
    assert "values" not in told


def test_means_of_modalities_by_hand(board: Board) -> None:
    names = {CT: "CT", XRAY: "X-ray", MRI: "MRI", US: "US", ANGIO: "angio"}
    values, known = values_of(RUNS[BASELINE]), modality_of_each(DATA)
    assert known[DATA.ids[-1]] == ""  # of two modalities
    assert known[DATA.ids[0]] == ""  # of none
    for cui, short in names.items():
        rows = [row for row, cuis in enumerate(MANUAL) if cuis[0] == cui and row < MANY - 1]
        assert board.modalities[short] == len(rows)
        expected = sum(values[row] for row in rows) / len(rows)
        assert board.row(BASELINE).by_modality[short] == pytest.approx(expected)
    assert set(board.modalities) == set(board.row("bad").by_modality) == set(names.values())


def test_a_modality_of_few_images_has_no_column(tmp_path: Path) -> None:
    manual = [[CT]] * 5 + [[US]] * 4
    data = labelled(manual, manual)
    made = board_of([tiny("a")], handed_in(tmp_path, {"a": manual}, data), data)
    assert dict(made.modalities) == {"CT": 5}
    assert made.rows[0].by_modality == {"CT": 1.0}
    assert made.rows[0].published is None
    assert shifts(made, data) == ()


def test_without_manual_labels_a_board_has_no_manual_score(tmp_path: Path) -> None:
    data = labelled(TRUTH, [[]] * MANY, GROUPS)
    folder = handed_in(tmp_path, {"good": RUNS["good"], "bad": RUNS["bad"]}, data)
    made = board_of(SYSTEMS, folder, data)
    row = made.row("good")
    assert row.f1 == pytest.approx(sum(values_of(RUNS["good"])) / MANY)
    assert (row.f1_manual, row.manual_low, row.manual_high) == (None, None, None)
    table = ranking_table(made)
    assert {dict(zip(table.columns, one, strict=True))["manual F1"] for one in table.rows} == {""}
    assert "manual F1" in write_board(made, (), limits(made, folder, data), tmp_path).read_text("utf-8")
    assert json.loads((tmp_path / "board.json").read_text("utf-8"))["rows"][0]["f1_manual"] is None
    told = to_keep(made)["systems"]["good"]
    assert told["f1_manual"] is None
    assert KeptScore(**told).to_json() == told


def test_a_folder_without_a_score_is_refused(tmp_path: Path) -> None:
    folder = BoardFolder(tmp_path)
    folder.write(Result("gone", "mark", "tiny", why_not="No."))
    with pytest.raises(UsageError, match=r"holds no score yet\. Run: radcap systems reproduce --out DIR\."):
        board_of([tiny("gone")], folder, DATA)


def weighted(weights: Sequence[float], name: str = BASELINE) -> float:
    return float(np.average(values_of(RUNS[name]), weights=weights))


def test_parts_of_the_test_split_by_hand(board: Board) -> None:
    sets = {one.name: one for one in shifts(board, DATA)}
    whole = sets["the whole test split"]
    assert whole.f1 == pytest.approx(board.row(BASELINE).f1)
    assert (whole.images, whole.low, whole.high) == (
        MANY, pytest.approx(board.row(BASELINE).f1_low), pytest.approx(board.row(BASELINE).f1_high),
    )  # fmt: skip
    chosen = {
        "from one": [one == "one" for one in SOURCES],
        "from two": [one == "two" for one in SOURCES],
        "from unknown": [one == "" for one in SOURCES],
        "2 concepts or fewer": [len(one) <= 2 for one in TRUTH],
        "5 concepts or more": [len(one) >= 5 for one in TRUTH],
        "CT alone": [one == "CT" for one in modality_of_each(DATA).values()],
    }
    for name, some in chosen.items():
        assert sets[name].images == sum(some)
        assert sets[name].f1 == pytest.approx(weighted([float(one) for one in some]))
    assert all(one.low <= one.f1 <= one.high for one in sets.values())


def test_two_halves_by_lot_are_of_whole_groups_and_make_the_whole(board: Board) -> None:
    sets = {one.name: one for one in shifts(board, DATA)}
    one, other = sets["one half of the groups, by lot"], sets["the other half"]
    assert one.images + other.images == MANY
    mean = (one.images * one.f1 + other.images * other.f1) / MANY
    assert mean == pytest.approx(board.row(BASELINE).f1)


def test_modalities_mixed_in_the_shares_of_another_set(board: Board) -> None:
    mixed = next(one for one in shifts(board, DATA) if one.name == "as ROCOv2 mixes modalities")
    row = board.row(BASELINE)
    short = {boards.SHORT[cui]: share for cui, share in ROCOV2.items()}
    expected = sum(row.by_modality[name] * share for name, share in short.items()) / sum(short.values())
    assert mixed.f1 == pytest.approx(expected)
    assert mixed.images == sum(board.modalities[name] for name in short)


def test_another_system_may_be_looked_at_and_an_unknown_one_gives_nothing(board: Board) -> None:
    assert shifts(board, DATA, "nobody") == ()
    assert shifts(board, DATA, "good")[0].f1 == pytest.approx(board.row("good").f1)


def test_a_set_of_one_group_has_an_interval(tmp_path: Path) -> None:
    """Many resamples hold no image of it."""
    manual = [[CT]] * 20
    groups = ["same"] * 10 + [f"g{n}" for n in range(10)]
    data = labelled(manual, manual, groups, ["one"] * 10 + ["two"] * 10)
    said = [[CT] if n % 2 else [US] for n in range(20)]
    made = board_of([tiny(BASELINE)], handed_in(tmp_path, {BASELINE: said}, data), data)
    one = next(one for one in shifts(made, data) if one.name == "from one")
    assert (one.f1, one.low, one.high) == (0.5, 0.5, 0.5)
    assert not any("ROCOv2" in one.name for one in shifts(made, data))


numbers = st.integers(0, 6).map(float)  # few, so that many are tied


@given(st.lists(st.tuples(numbers, numbers), max_size=12))
def test_concordance_is_kendalls_tau_b(pairs: list[tuple[float, float]]) -> None:
    found = concordance(pairs)
    columns = list(zip(*pairs, strict=True))
    if not columns or any(len(set(one)) == 1 for one in columns):
        assert found is None
        return
    tau, _ = scipy.stats.kendalltau(*columns)
    assert found == pytest.approx(tau)


def row(name: str, f1: float, **given: Any) -> BoardRow:
    """A row of a board that nobody trained; `given` is of the row or of its result."""
    of_result = {key: given.pop(key) for key in ("members", "train_s", "borrowed") if key in given}
    usual: dict[str, Any] = {"edition": "2025", "team": f"team {name}", "family": "", "published": None}
    return BoardRow(
        name=name,
        f1=f1,
        f1_low=f1 - 0.01,
        f1_high=f1 + 0.01,
        f1_manual=f1 + 0.1,
        manual_low=f1,
        manual_high=f1 + 0.2,
        rank=1,
        letters="a",
        by_modality={},
        result=Result(name, "mark", "tiny", **of_result),
        **usual | given,
    )


ROWS = (
    row("first", 0.60, published=0.50, family="linear", members=1, train_s=10.0),
    row("second", 0.50, published=0.60, family="linear", members=2, train_s=30.0),
    row("third", 0.40, published=0.30, family="votes", members=3, train_s=80.0),
    row("silent", 0.70, edition="2019", members=4, train_s=1_234.0),
    row("lent", 0.90, published=0.99, borrowed=True),
    row("ours", 0.80, edition="radcap", family="linear"),
)
BY_HAND = Board("made", 10, 5, ROWS, (), {}, {}, ())


def test_editions_tell_who_won_then_and_who_would_have_won_here() -> None:
    assert edition_table(BY_HAND).rows == (
        ("2019", "1", "", "silent", "0.7000", "0.7000", ""),
        ("2025", "3", "team second", "first", "0.6000", "0.5000", "+0.33"),
    )


def test_families_stand_best_first_and_lent_models_are_left_out() -> None:
    assert family_table(BY_HAND).rows == (
        ("linear", "3", "ours", "0.8000", "0.6000", "10"),
        ("other", "1", "silent", "0.7000", "0.7000", "1,234"),
        ("votes", "1", "third", "0.4000", "0.4000", "80"),
    )


def test_what_is_simple_stands_before_what_is_elaborate() -> None:
    assert cost_table(BY_HAND).rows == (
        ("one model", "2", "ours", "0.8000", f"{median((0.6, 0.8)):.4f}", "5"),
        ("2 or 3 members", "2", "second", "0.5000", "0.4500", "55"),
        ("4 members or more", "1", "silent", "0.7000", "0.7000", "1,234"),
    )
    only = replace(BY_HAND, rows=ROWS[:1])
    assert [one[0] for one in cost_table(only).rows] == ["one model"]


def test_the_ranking_as_a_table(board: Board) -> None:
    table = ranking_table(board)
    assert len(table.rows) == len(board.rows)
    told = dict(zip(table.columns, table.rows[2], strict=True))
    row = board.row(BASELINE)
    assert told == {
        "rank": "3",
        "system": BASELINE,
        "family": "linear",
        "published": "0.5000",
        "F1": f"{row.f1:.4f}",
        "95 %": f"{row.f1_low:.3f}-{row.f1_high:.3f}",
        "manual F1": f"{row.f1_manual:.4f}",
        "letters": row.letters,
        "members": "5",
        "parameters": "0",
        "seconds": "60",
        "images/s": "0",
    }
    shown = [one[1] for one in table.rows]
    assert "again *" in shown  # it stands on a shipped model
    assert table.rows[-1][3] == ""  # nothing is published


def test_the_other_tables(board: Board) -> None:
    modalities = modality_table(board)
    assert modalities.columns[1:] == tuple(f"{name} ({n})" for name, n in board.modalities.items())
    assert modalities.rows[-1] == ("bad", *["0.000"] * len(board.modalities))
    assert ("good", "frozen; 8 epochs for 20") in changes_table(board).rows
    assert untrained_table(board).rows == (("gone", "Weights are missing."), ("never", "Not trained yet."))
    sets = shifts(board, DATA)
    table = shift_table(sets)
    assert table.rows[0][-1] == ""
    assert table.rows[1][-1] == f"{sets[1].f1 - sets[0].f1:+.4f}"
    assert [one[:2] for one in table.rows] == [(one.name, str(one.images)) for one in sets]
    could = limit_table((Limit("best", 0, 0.5, 0.4, 0.6), Limit("with all right", 1234, 1.0, 1.0, 1.0)))
    assert could.rows == (
        ("best", "", "0.5000", "0.400-0.600", ""),
        ("with all right", "1,234", "1.0000", "1.000-1.000", "+0.5000"),
    )


def test_kinds_are_put_right_by_hand(board: Board, folder: BoardFolder) -> None:
    """The best of the board says the first one to three concepts of each image."""
    found = {one.name: one for one in limits(board, folder, DATA)}
    best, modalities, regions, said = found.values()
    assert best.name == next(one.name for one in board.rows if not one.result.borrowed)
    assert (best.f1, best.low, best.high) == pytest.approx(
        (board.rows[0].f1, board.rows[0].f1_low, board.rows[0].f1_high)
    )
    assert modalities.concepts == sum(cui in _ORDER for cuis in TRUTH for cui in cuis)
    assert regions.concepts == MANY - 1  # the last image has none
    truths = [set(one) for one in TRUTH]
    right = [
        {cui for cui in cuis if cui not in _ORDER} | (true & set(_ORDER))
        for cuis, true in zip(RUNS["good"], truths, strict=True)
    ]
    assert modalities.f1 == pytest.approx(sum(values_of([list(one) for one in right])) / MANY)
    fair = [RUNS[name] for name in ("good", BASELINE, "bad")]
    counted = [Counter(cui for one in some for cui in set(one)) for some in zip(*fair, strict=True)]
    votes = [[cui for cui, many in one.items() if many >= 2] for one in counted]
    assert said.name == "said by half of 3 systems"
    assert said.f1 == pytest.approx(sum(values_of(votes)) / MANY)


def test_rare_concepts_are_those_that_few_training_images_have(tmp_path: Path) -> None:
    rare, common = "C0000001", "C0000002"
    truth = [[CT, common]] * 30 + [[CT, rare, common]] * 2
    data = labelled(truth, [[CT]] * 32)
    learnt = data.table.set_column(
        data.table.schema.get_field_index("split"), "split", pa.array(["train"] * 25 + ["test"] * 7)
    )
    data = replace(data, table=learnt)
    test = data.split("test")
    said = {"one": [[CT, common]] * 7}
    made_folder = handed_in(tmp_path, said, test)
    made = board_of([tiny("one")], made_folder, data)
    found = {one.name: one for one in limits(made, made_folder, data)}
    right = found["with all concepts of fewer than 20 training images right"]
    assert (right.concepts, right.f1) == (2, 1.0)
    assert not any("half of" in one for one in found)  # one system is no majority
    borrowed = handed_in(tmp_path / "b", said, test, borrowed={"one": True})
    assert limits(board_of([tiny("one")], borrowed, data), borrowed, data) == ()


def test_a_board_is_written_as_page_table_and_json(board: Board, tmp_path: Path) -> None:
    page = write_board(board, shifts(board, DATA), (), tmp_path)
    assert page == tmp_path / "board.html"
    assert {one.name for one in tmp_path.iterdir()} == {"board.html", "board.csv", "board.json"}
    assert json.loads((tmp_path / "board.json").read_text("utf-8")) == json.loads(json.dumps(board.to_json()))
    lines = (tmp_path / "board.csv").read_text("utf-8").splitlines()
    assert len(lines) == 1 + len(board.rows)


def test_what_is_kept_in_the_package_reads_as_it_was_written(
    board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_scores.cache_clear()
    (tmp_path / "radiology-open.json").write_text(json.dumps(to_keep(board)))
    monkeypatch.setattr(kept, "files", lambda _: tmp_path)
    try:
        found = kept_scores()
    finally:
        kept_scores.cache_clear()
    assert list(found) == [one.name for one in board.rows]
    for one in board.rows:
        told = found[one.name]
        assert told.f1 == round(one.f1, 4)
        assert (told.rank, told.letters, told.scale) == (one.rank, one.letters, "tiny")
        assert told.borrowed == one.result.borrowed
        assert told.to_json() == asdict(told)
    assert to_keep(board)["images"] == MANY


def test_every_score_that_ships_is_of_a_system_of_the_catalogue_and_in_range() -> None:
    assert set(kept_scores()) <= {one for one in system_names() if one.endswith("-concepts")}
    for name, one in kept_scores().items():
        assert isinstance(one, KeptScore)
        assert 0 <= one.low <= one.f1 <= one.high <= 1, name
        assert 0 <= known(one.f1_manual) <= 1
        assert one.rank >= 1  # on the whole board, with systems whose files are others by now
        assert one.letters
        assert one.scale in ("small", "large", "published")
    by_rank = sorted(kept_scores().values(), key=lambda one: one.rank)
    assert [one.f1 for one in by_rank] == sorted((one.f1 for one in by_rank), reverse=True)
