"""The script that keeps a board of captions: its tables have places, and what it keeps is gone on with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest
from board_samples import CT, MARK, MRI
from caption_board_samples import captioned, said, with_captions, writer
from script_files import SCRIPTS, script

from radcap.report import Table
from radcap.systems import systems_of
from radcap.systems.board.captions.board import make_caption_board
from radcap.systems.board.captions.kept import kept_captions
from radcap.systems.board.captions.samples import Said, Sample
from radcap.systems.board.captions.scores import MEASURES, METEOR
from radcap.systems.board.results import BoardFolder

if TYPE_CHECKING:
    from pathlib import Path

keeping = script("write_caption_board")
PAGE = (SCRIPTS / "board-captions.md").read_text("utf-8")
PLACES = re.findall(r"<!-- table (\S+) -->", PAGE)
SYSTEMS = [writer("lstm", "one"), writer("gru", "two")]
DATA = with_captions(
    {"original": ["A scan", "", ""], "composed": ["CT of the chest.", "MRI.", "CT."]}, [[CT], [MRI], [CT]]
)
TOLD = {"two": {"none": ["CT."] * 3, "true": ["CT of the chest.", "MRI.", "CT."]}}


def board_of(folder: BoardFolder) -> Any:
    marks = {one.name: MARK for one in SYSTEMS}
    measures = [one for one in MEASURES if one != METEOR]
    return make_caption_board(SYSTEMS, folder, DATA, marks, "composed", measures)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BoardFolder:
    runs = {"one": ["CT of the chest."] * 3, "two": ["CT.", "MRI.", "MRI."]}
    return said(tmp_path_factory.mktemp("board"), runs, DATA, TOLD)


def test_every_table_has_its_place_and_every_place_its_table(folder: BoardFolder) -> None:
    record = captioned().split("test")[0]
    shown = (Sample(record, "CT", (Said("one", "CT of the chest.", 0.5),)),)
    made = keeping.tables(board_of(folder), shown)
    assert sorted(made) == sorted(PLACES)
    text = keeping.filled(PAGE, made)
    for table in made.values():
        assert (table.to_markdown() in text) == bool(table.rows)
    assert keeping.filled(text, made) == text
    assert ("systems", "2 scored, 0 not trained") in made["facts"].rows
    assert ("composed captions", "3 of test images, in 3 groups") in made["facts"].rows
    texts = {one.source.value: one.text for one in record.captions}
    assert made["samples"].rows == (
        *((f"CT, {record.id}", f"true, {source}", text) for source, text in reversed(texts.items())),
        (f"CT, {record.id}", "one (0.50)", "CT of the chest."),
    )


@pytest.mark.parametrize("name", PLACES)
def test_a_table_without_rows_says_so(name: str) -> None:
    text = keeping.filled(PAGE, {name: Table(("a",), ())})
    assert f"<!-- table {name} -->\n\nNone.\n" in text


def test_a_page_that_is_there_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "PAGE", tmp_path / "page.md")
    assert keeping.page_with({}) == PAGE
    (tmp_path / "page.md").write_text("Mine. <!-- table floor -->\n<!-- end -->")
    assert keeping.page_with({"floor": Table(("a",), ())}).startswith("Mine. <!-- table floor -->\n\nNone.")


def test_kept_runs_unpack_to_a_folder_that_goes_on(folder: BoardFolder, tmp_path: Path) -> None:
    keeping.keep_runs(folder, tmp_path / "runs.zip")
    with ZipFile(tmp_path / "runs.zip") as opened:
        assert sorted(opened.namelist()) == [
            *("results/one.json", "results/two.json", "runs/one.csv", "runs/two.csv"),
            *("told/none/two.csv", "told/true/two.csv"),
        ]
        opened.extractall(tmp_path / "unpacked")
    assert board_of(BoardFolder(tmp_path / "unpacked")).to_json() == board_of(folder).to_json()


def test_what_is_kept_is_of_the_catalogue() -> None:
    assert set(kept_captions()) <= {one.name for one in systems_of("captions")}
