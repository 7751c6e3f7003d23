"""The page of the board says what the package says, and its tables are those of the script."""

from __future__ import annotations

from types import SimpleNamespace
from zipfile import ZipFile

import pytest
from board_samples import CHEST, CT, MRI, board_of, handed_in, labelled, member, tiny
from script_files import SCRIPTS, script

from radcap.datasets import load_dataset
from radcap.report import Table
from radcap.systems import read_concepts, systems_of
from radcap.systems.board.kept import kept_scores
from radcap.systems.board.marks import marks_of
from radcap.systems.board.results import BoardFolder, Result
from radcap.systems.board.scales import SCALES
from radcap.vision.settings import TrainSettings

filled = script("write_board").filled
study = script("study_board")
PAGE = (SCRIPTS.parent / "docs" / "board.md").read_text("utf-8")
NAMES = [one.name for one in systems_of("concepts")]


def rows_of(table: str) -> list[list[str]]:
    lines = PAGE.split(f"<!-- table {table} -->")[1].split("<!-- end -->")[0].strip().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def ranking() -> dict[str, list[str]]:
    return {row[1].removesuffix(" *"): row for row in rows_of("ranking")}


def test_every_system_of_the_catalogue_has_a_score_or_a_reason():
    without = [row[0] for row in rows_of("untrained")]
    assert sorted([*kept_scores(), *without]) == sorted(NAMES)
    assert set(kept_scores()) <= set(ranking()) <= set(NAMES)


def test_page_and_package_have_the_same_scores():
    for name, kept in kept_scores().items():
        row = ranking()[name]
        low, high = (float(one) for one in row[5].split("-"))
        told = [str(kept.rank), f"{kept.f1:.4f}", f"{kept.f1_manual:.4f}", kept.letters]
        assert [row[0], row[4], *row[6:8]] == told
        assert (low, high) == pytest.approx((kept.low, kept.high), abs=0.00061)
        assert row[1].endswith(" *") == kept.borrowed


@pytest.fixture(scope="module")
def kept_board(tmp_path_factory):
    """The runs that ship, unpacked."""
    path = tmp_path_factory.mktemp("board")
    with ZipFile(script("write_board").RUNS) as packed:
        packed.extractall(path)
    return BoardFolder(path)


def test_the_runs_that_ship_have_the_scores_that_ship(kept_board):
    scores = study.scores(kept_board, NAMES, load_dataset("radiology-open"))
    assert scores == {name: one.f1 for name, one in kept_scores().items()}


def test_what_ships_is_of_the_files_as_they_are_or_the_page_says_so(kept_board):
    scale = study.scale_in(kept_board)
    assert {one.scale for one in kept_scores().values()} == {scale.name}
    marks = marks_of([read_concepts(one) for one in NAMES], scale, load_dataset("radiology-open"))
    stale = {name for name, mark in marks.items() if kept_board.read(name, mark) is None}
    assert stale <= {row[0] for row in rows_of("untrained")}


@pytest.mark.parametrize("path", [study.FROZEN, study.SEEDS], ids=["frozen", "seeds"])
def test_the_boards_beside_it_have_systems_of_this_one(path):
    assert set(study.read_scores(path)) <= set(kept_scores())


def test_families_are_counted_with_frozen_networks_and_with_whole_ones():
    rows = [
        SimpleNamespace(
            name=name, family=name[:4], f1=f1 + 0.25, result=SimpleNamespace(borrowed=name.endswith("2"))
        )
        for name, f1 in study.read_scores(study.FROZEN).items()
    ]
    told = script("write_board").whole_table(SimpleNamespace(rows=rows)).rows
    assert told[-1][:2] == ("all", str(len(rows)))
    assert {one[-1] for one in told} == {"+0.2500"}


def test_seeds_are_told_by_family_and_for_all():
    families = {"a": "few", **dict.fromkeys("bcdef", "many")}
    board = dict.fromkeys("abcdef", 0.5)
    other = {"a": 0.51, "b": 0.52, "c": 0.48, "d": 0.5, "e": 0.51, "f": 0.54}
    table = study.seeds_table(families, board, other)
    assert table.rows == (
        ("many", "5", "0.0200", "0.0400", "0.0158"),  # the root of 0.0025 / 10
        ("few", "1", "0.0100", "0.0100", ""),
        ("all", "6", "0.0150", "0.0400", "0.0147"),  # the root of 0.0026 / 12
    )
    page = rows_of("seeds")
    assert page[-1][1] == str(len(study.read_scores(study.SEEDS)))


def test_what_is_trained_again_has_other_seeds_and_is_there_once():
    chosen = study.learnt([read_concepts(one) for one in NAMES])
    assert sorted(one.name for one in chosen) == sorted(study.read_scores(study.SEEDS))
    one = tiny("one")
    twin, other = tiny("twin"), tiny("other", train=TrainSettings(epochs=2, batch=16, lr=1e-2))
    resting = tiny("resting", train=TrainSettings(epochs=0))
    pair = tiny("pair", member=(member("a", 1), member("b", 2)))
    assert study.learnt([one, twin, other, resting, pair]) == [one, other, pair]
    assert study.again(one).train == TrainSettings(epochs=1, batch=16, lr=1e-2, seed=1)
    assert [part.train.seed for part in study.again(pair).member] == [101, 102]


def test_scores_are_kept_beside_those_of_other_systems(tmp_path):
    data = labelled([[CT], [MRI]], [[CT], [MRI]])
    path, names = tmp_path / "kept.json", ["one", "two", "three"]

    def keep(runs, scale, names):
        folder = handed_in(tmp_path / scale, runs, data)
        for name in runs:
            folder.write(Result(name, "mark", scale))
        study.keep(folder, names, path, data)
        return study.read_scores(path)

    assert keep({"one": [[CT], [CT]], "two": [[CT], [MRI]]}, "small", names) == {"one": 0.5, "two": 1.0}
    changed = {"two": [[MRI], [CT]], "three": [[MRI], [MRI]]}
    assert keep(changed, "small", names) == {"one": 0.5, "three": 0.5, "two": 0.0}
    assert keep(changed, "small", names[1:]) == {"three": 0.5, "two": 0.0}  # one is no system any more
    with pytest.raises(SystemExit, match=r"kept\.json holds scores of the scale small, .*large of large\."):
        keep(changed, "large", names)


@pytest.mark.parametrize(
    "name",
    [
        "ranking",
        "editions",
        "families",
        "cost",
        "limits",
        "whole",
        "modalities",
        "sets",
        "seeds",
        "changes",
        "untrained",
    ],
)
def test_the_script_knows_every_place_of_the_page(name):
    table = Table(("a",), (("b",),))
    again = filled(PAGE, {name: table})
    assert again != PAGE
    assert table.to_markdown() in again
    empty = filled(PAGE, {name: Table(("a",), ())})
    assert "\nNone.\n" in empty
    assert filled(again, {}) == again


def test_a_folder_of_several_scales_or_of_none_is_refused_with_a_sentence(tmp_path):
    folder, scale_in = BoardFolder(tmp_path), study.scale_in
    with pytest.raises(SystemExit, match=r"holds no score yet\. Run: radcap systems reproduce --out DIR\."):
        scale_in(folder)
    folder.write(Result("one", "mark", "large"))
    folder.write(Result("gone", "mark", "small", why_not="No."))
    assert scale_in(folder) == SCALES["large"]
    folder.write(Result("two", "mark", "small"))
    with pytest.raises(SystemExit, match="holds scores of the scales large, small, which do not compare"):
        scale_in(folder)


def test_kept_runs_unpack_to_a_folder_that_goes_on(tmp_path):
    data = labelled([[CT], [MRI], [CT, CHEST]], [[CT], [MRI], [CT]])
    runs = {"one": [[CT], [CT], [CT]], "two": [[CT], [MRI], [CHEST]]}
    folder = handed_in(tmp_path / "board", runs, data)
    (tmp_path / "board" / "models" / "one").mkdir(parents=True)
    keep_runs = script("write_board").keep_runs
    packed, again = tmp_path / "kept" / "runs.zip", tmp_path / "again.zip"
    for path in (packed, again):
        keep_runs(folder, path)
    assert packed.read_bytes() == again.read_bytes()
    with ZipFile(packed) as opened:
        assert sorted(opened.namelist()) == [
            *("results/one.json", "results/two.json", "runs/one.csv", "runs/two.csv"),
        ]
        opened.extractall(tmp_path / "unpacked")
    systems = [tiny("one"), tiny("two")]
    unpacked = BoardFolder(tmp_path / "unpacked")
    assert board_of(systems, unpacked, data) == board_of(systems, folder, data)
