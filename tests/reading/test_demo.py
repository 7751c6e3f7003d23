"""The demo: the same bytes every time, nothing outside its folder, and the story it tells is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from radcap.core import Level, Task
from radcap.formats import validate
from radcap.metrics import score_concepts
from radcap.reading import Story, run_demo

if TYPE_CHECKING:
    from pathlib import Path

RUNS = ("noisy", "noisier", "modality-only", "constant")
SLIPS = {
    "RUN106",  # byte-order mark
    "RUN108",  # header in lower case
    "RUN201",  # blank line
    "RUN204",  # blank behind an id
    "RUN205",  # id of another split
    "RUN207",  # a row is missing
    "RUN208",  # two rows exchanged
    "RUN211",  # file ending on an id
    "RUN302",  # concept named twice
    "RUN303",  # trailing semicolon
    "RUN305",  # lower case
    "RUN307",  # blank instead of semicolon
}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Story]:
    out = tmp_path_factory.mktemp("demo") / "out"
    return out, run_demo(out)


def test_the_demo_writes_truth_runs_and_a_repaired_run(told: tuple[Path, Story]) -> None:
    out, _ = told
    runs = {f"{name}.csv" for name in (*RUNS, "broken", "fixed")}
    assert set(contents(out)) == runs | {"truth/concepts.csv", "truth/concepts_manual.csv"}


def test_the_demo_writes_the_same_bytes_again_into_the_same_folder_and_into_another(
    told: tuple[Path, Story], tmp_path: Path
) -> None:
    out, story = told
    before = contents(out)
    again = run_demo(out)
    assert contents(out) == before
    assert again.scores == story.scores
    run_demo(tmp_path / "elsewhere")
    assert contents(tmp_path / "elsewhere") == before


def test_the_demo_writes_only_into_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("here", "home", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    run_demo(tmp_path / "out")
    assert {path.parts[0] for path in (path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))} == {
        "out"
    }


def test_every_slip_of_the_broken_run_is_found_as_an_error(told: tuple[Path, Story]) -> None:
    broken = told[1].broken
    assert {issue.code for issue in broken.issues if issue.level is Level.ERROR} == SLIPS


def test_the_repair_mends_all_but_the_missing_row_and_the_foreign_id(told: tuple[Path, Story]) -> None:
    repair = told[1].repair
    left = {issue.code for issue in repair.after.issues if issue.level is Level.ERROR}
    assert left == {"RUN205", "RUN207"}  # no prediction is invented, none is thrown away
    assert set(repair.repaired) == SLIPS - left


def test_the_findings_are_shown_once_per_code_with_their_number_the_errors_first(
    told: tuple[Path, Story],
) -> None:
    story = told[1]
    for table, found in ((story.found, story.broken), (story.left, story.repair.after)):
        assert {row[0]: row[2] for row in table.rows} == {code: str(n) for code, n in found.counts.items()}
        levels = [Level(row[1]) for row in table.rows]
        assert levels == sorted(levels, key=list(Level).index)


@pytest.mark.parametrize("name", RUNS)
def test_the_other_runs_pass_the_strictest_check(name: str, told: tuple[Path, Story]) -> None:
    out, story = told
    assert validate(out / f"{name}.csv", Task.CONCEPTS, truth=story.truth, edition="2026").ok


def test_the_table_shows_the_scores_of_the_files_the_best_first(told: tuple[Path, Story]) -> None:
    out, story = told
    assert {row[0] for row in story.scores.rows} == set(RUNS)
    for row in story.scores.rows:
        assert row[1] == f"{score_concepts(out / f'{row[0]}.csv', story.truth)['f1'].value:.6f}"
    assert [row[1] for row in story.scores.rows] == sorted(
        (row[1] for row in story.scores.rows), reverse=True
    )


def test_the_demo_shows_that_a_short_list_can_beat_a_long_one(told: tuple[Path, Story]) -> None:
    rows = {row[0]: row for row in told[1].scores.rows}
    short, long = rows["modality-only"], rows["noisier"]
    assert float(short[1]) > float(long[1])
    assert int(short[-1]) < int(long[-1])


def test_the_example_that_is_named_at_the_end_can_be_scored(told: tuple[Path, Story]) -> None:
    story = told[1]
    assert score_concepts(story.example, story.truth).ok
