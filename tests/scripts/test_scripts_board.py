"""The page of the board says what the package says, and its tables are those of the script."""

from __future__ import annotations

import json
from types import SimpleNamespace
from zipfile import ZipFile

import pytest
from board_samples import CHEST, CT, MRI, board_of, handed_in, labelled, tiny
from script_files import SCRIPTS, script

from radcap.report import Table
from radcap.systems import systems_of
from radcap.systems.board.kept import kept_scores
from radcap.systems.board.results import BoardFolder, Result
from radcap.systems.board.scales import SCALES

filled = script("write_board").filled
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


def test_the_frozen_board_beside_it_has_systems_of_this_one():
    table = script("write_board").whole_table
    kept = json.loads((SCRIPTS.parent / "docs" / "studies" / "board_small.json").read_text("utf-8"))
    assert set(kept["systems"]) <= set(NAMES)
    rows = [
        SimpleNamespace(
            name=name, family=name[:4], f1=one["f1"] + 0.25, result=SimpleNamespace(borrowed=False)
        )
        for name, one in kept["systems"].items()
    ]
    told = table(SimpleNamespace(rows=rows)).rows
    assert told[-1][:2] == ("all", str(len(rows)))
    assert {one[-1] for one in told} == {"+0.2500"}


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
    folder, scale_in = BoardFolder(tmp_path), script("write_board").scale_in
    with pytest.raises(SystemExit, match=r"holds no score yet\. Run: radcap systems reproduce --out DIR\."):
        scale_in(folder, ["one", "two"])
    folder.write(Result("one", "mark", "large"))
    folder.write(Result("gone", "mark", "small", why_not="No."))
    assert scale_in(folder, ["one", "two", "gone"]) == SCALES["large"]
    folder.write(Result("two", "mark", "small"))
    with pytest.raises(SystemExit, match="holds scores of the scales large, small, which do not compare"):
        scale_in(folder, ["one", "two"])


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
