"""The demo: the same bytes every time, nothing outside its folder, and the story it tells is true."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from radcap.core import Level, Task
from radcap.datasets import load_dataset
from radcap.formats import Kind, read_labels, read_run, validate
from radcap.metrics import compare, score_captions, score_concepts
from radcap.reading.demo import run_demo
from radcap.reading.demo.model_story import Sizes
from radcap.reading.demo.scored_runs import ScoredRuns
from radcap.reading.values import RESEARCH_ONLY
from radcap.systems.predicting import predict

if TYPE_CHECKING:
    from commands import Command

    from radcap.reading.demo.judged_systems import JudgedSystems

RUNS = ("noisy", "noisier", "modality-only", "constant")
CAPTION_RUNS = ("captions-half", "captions-neighbour", "captions-word-list", "captions-constant")
LABELS = ("concepts.csv", "concepts_manual.csv", "captions.csv")
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
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ScoredRuns]:
    out = tmp_path_factory.mktemp("demo") / "out"
    return out, run_demo(out, models=False).runs


def test_the_demo_writes_truth_runs_and_a_repaired_run(told: tuple[Path, ScoredRuns]) -> None:
    out, _ = told
    runs = {f"{name}.csv" for name in (*RUNS, *CAPTION_RUNS, "broken", "fixed")}
    assert set(contents(out)) == runs | {f"truth/{name}" for name in LABELS} | {
        "compare.html",
        "example.webp",
        "radiology-open.html",
        "report.html",
    }


def test_the_demo_writes_the_same_bytes_again_elsewhere_and_nothing_outside_its_folder(
    told: tuple[Path, ScoredRuns], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "home", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    out, story = told
    again = run_demo(tmp_path / "out", models=False).runs
    assert (again.scores, again.captions, again.board) == (story.scores, story.captions, story.board)
    before, elsewhere = contents(out), contents(tmp_path / "out")
    assert elsewhere.keys() == before.keys()
    changed = {name for name in before if elsewhere[name] != before[name]}
    assert changed == {"report.html"}  # which names the folder in its next commands
    assert {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*.*")} == {"out"}


def test_a_caption_is_linked_and_what_it_denies_is_marked(told: tuple[Path, ScoredRuns]) -> None:
    _, story = told
    assert {row[2]: row[-1] for row in story.mentions.rows} == {
        "C0000726": "",
        "C0041618": "",
        "C0003962": "",
        "C0023890": "negated",
        "C0020541": "negated",
    }
    assert all(row[1] in story.caption for row in story.mentions.rows)


def test_every_slip_of_the_broken_run_is_found_as_an_error(told: tuple[Path, ScoredRuns]) -> None:
    broken = told[1].broken
    assert {issue.code for issue in broken.issues if issue.level is Level.ERROR} == SLIPS


def test_the_repair_mends_all_but_the_missing_row_and_the_foreign_id(told: tuple[Path, ScoredRuns]) -> None:
    repair = told[1].repair
    left = {issue.code for issue in repair.after.issues if issue.level is Level.ERROR}
    assert left == {"RUN205", "RUN207"}  # no prediction is invented, none is thrown away
    assert set(repair.repaired) == SLIPS - left


def test_the_findings_are_shown_once_per_code_with_their_number_the_errors_first(
    told: tuple[Path, ScoredRuns],
) -> None:
    story = told[1]
    for table, found in ((story.found, story.broken), (story.left, story.repair.after)):
        assert {row[0]: row[2] for row in table.rows} == {code: str(n) for code, n in found.counts.items()}
        levels = [Level(row[1]) for row in table.rows]
        assert levels == sorted(levels, key=list(Level).index)


@pytest.mark.parametrize("name", [*RUNS, *CAPTION_RUNS])
def test_the_other_runs_pass_the_strictest_check(name: str, told: tuple[Path, ScoredRuns]) -> None:
    out, story = told
    task = Task.CAPTIONS if name in CAPTION_RUNS else Task.CONCEPTS
    assert validate(out / f"{name}.csv", task, truth=story.truth, edition="2026").ok


def test_the_table_shows_the_scores_of_the_files_the_best_first(told: tuple[Path, ScoredRuns]) -> None:
    out, story = told
    assert {row[0] for row in story.scores.rows} == set(RUNS)
    for row in story.scores.rows:
        assert row[1] == f"{score_concepts(out / f'{row[0]}.csv', story.truth)['f1'].value:.6f}"
    assert [row[1] for row in story.scores.rows] == sorted(
        (row[1] for row in story.scores.rows), reverse=True
    )


def test_the_demo_shows_that_a_short_list_can_beat_a_long_one(told: tuple[Path, ScoredRuns]) -> None:
    rows = {row[0]: row for row in told[1].scores.rows}
    short, long = rows["modality-only"], rows["noisier"]
    assert float(short[1]) > float(long[1])
    assert int(short[-1]) < int(long[-1])


def test_the_board_ranks_the_runs_as_compare_does(told: tuple[Path, ScoredRuns]) -> None:
    out, story = told
    found = compare([out / f"{name}.csv" for name in RUNS], story.truth, Task.CONCEPTS).comparison.primary
    assert [(row[0], row[1], row[4]) for row in story.board.rows] == [
        (str(one.rank), one.run, one.letters) for one in found.standings
    ]
    assert story.verdict.startswith(f"{found.standings[0].run} leads in f1 with ")


def test_the_captions_are_scored_by_the_rules_of_two_ages(told: tuple[Path, ScoredRuns]) -> None:
    out, story = told
    columns = story.captions.columns
    assert columns[:4] == ("run", "BLEU, NLTK 3.2.2", "BLEU, NLTK 3.3", "rouge1")
    assert {row[0] for row in story.captions.rows} == set(CAPTION_RUNS)
    for name, truncating, vanishing, rouge1, *_ in story.captions.rows:
        run = out / f"{name}.csv"
        assert rouge1 == f"{score_captions(run, story.truth, edition='2026')['rouge1'].value:.6f}"
        said = read_labels(run, Kind.CAPTIONS, "2026")
        true = read_labels(story.truth / "captions.csv", Kind.CAPTIONS, "2026")
        for rule, value in (("truncating", truncating), ("vanishing", vanishing)):
            report = score_captions(said, true, edition="2017", bleu_rule=rule)
            assert value == f"{report['bleu'].value:.6f}"


def test_one_word_list_for_every_image_wins_by_the_old_rule_alone(told: tuple[Path, ScoredRuns]) -> None:
    rows = {row[0]: row for row in told[1].captions.rows}
    assert max(rows, key=lambda name: float(rows[name][1])) == "captions-word-list"
    assert float(rows["captions-word-list"][2]) == 0
    assert rows["captions-word-list"][-1] == "1"  # distinct captions
    assert max(rows, key=lambda name: float(rows[name][3])) == "captions-half"


def test_the_page_shows_every_run_and_fetches_nothing(told: tuple[Path, ScoredRuns]) -> None:
    page = told[1].page.read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert all(name in page for name in RUNS)
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", page)


def test_every_caption_of_the_demo_is_attributed() -> None:
    """The captions are under licences that ask for it."""
    shipped = files("radcap").joinpath("data", "demo")
    with as_file(shipped.joinpath("captions.csv")) as captions:
        ids = read_labels(captions, Kind.CAPTIONS, "2026").cells
    rows = list(csv.DictReader(shipped.joinpath("captions_attribution.csv").read_text("utf-8").splitlines()))
    assert {row[next(iter(row))] for row in rows} == set(ids)
    assert all(all(row.values()) for row in rows)


def test_the_example_that_is_named_at_the_end_can_be_scored(told: tuple[Path, ScoredRuns]) -> None:
    story = told[1]
    assert score_concepts(story.example, story.truth).ok


def test_the_command_tells_the_story_and_its_next_steps_run(
    tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = radcap("demo", "--no-models", "--out", "out")
    assert (done.code, done.err) == (0, "")
    steps = [line.partition(":")[0] for line in done.out.splitlines() if re.match(r"\d\. ", line)]
    assert [step.split()[:3] for step in steps] == [
        ["1.", "radcap", "dataset"],
        ["2.", "radcap", "vocab"],
        ["3.", "radcap", "validate"],
        ["4.", "radcap", "validate"],
        ["5.", "radcap", "score"],
        ["6.", "radcap", "compare"],
        ["7.", "radcap", "score"],
        ["8.", "radcap", "systems"],
    ]
    assert all(name in done.out for name in (*RUNS, *CAPTION_RUNS))
    said, _, following = done.out.partition("Next:\n")
    assert f"Open {Path('out', 'report.html')} in a browser." in said
    commands = [line.split() for line in following.splitlines()]
    assert len(commands) == 6
    assert {program for program, *_ in commands} == {"radcap"}
    score = next(arguments for _, *arguments in commands if arguments[0] == "score")
    assert radcap(*score).code == 0
    for name in CAPTION_RUNS:
        assert radcap("score", "captions", f"out/{name}.csv", "out/truth").code == 0


def test_without_models_no_torch_is_loaded(told: tuple[Path, ScoredRuns]) -> None:
    """The base install has none."""
    code = "import sys; sys.modules['torch'] = None; import radcap.reading.demo.report_page"
    subprocess.run([sys.executable, "-c", code], check=True)


FEW = Sizes(readings=1, explained=1, test=9)


def test_the_models_read_are_scored_compared_and_explained(tmp_path: Path) -> None:
    told: list[str] = []
    story = run_demo(tmp_path / "out", sizes=FEW, tell=lambda one: told.append(one.heading))
    assert [one.split(":")[0] for one in told[1:8]] == [
        "radcap read",
        "radcap validate",
        "radcap score concepts",
        "radcap score captions",
        "radcap compare",
        "radcap compare",
        "radcap explain",
    ]
    models = story.models
    assert models is not None
    (reading,) = models.readings
    for judged, names in (
        (models.judged.concepts, {"zoo:concepts", "nearest case", "commonest"}),
        (models.judged.captions, {"zoo:captions", "template", "nearest case", "commonest"}),
    ):
        assert judged.validation.ok
        assert {one.run for one in judged.compared.comparison.primary.standings} == names
        assert judged.report.n == 9
    assert models.judged.captions.missing  # what needs a download is named
    assert models.explained.images == (reading.image,)
    check_report(story.report, reading.caption.split()[0])
    check_runs(models.judged)


def check_report(report: Path, word: str) -> None:
    """It shows the readings, and its links lead somewhere."""
    page = report.read_text("utf-8")
    for part in (word, "nearest case", RESEARCH_ONLY, 'href="explained/viewer.html"'):
        assert part in page
    for link in set(re.findall(r'href="([^"#:]+)"', page)):
        assert (report.parent / link).is_file(), link


def check_runs(judged: JudgedSystems) -> None:
    """The runs are those of `radcap predict`."""
    test = load_dataset("radiology-open", split="test")[:9]
    for name, task in (("zoo:concepts", judged.concepts), ("zoo:captions", judged.captions)):
        assert predict(name, test).run(test.ids).cells == read_run(task.run, task.task)[0].cells


@pytest.mark.slow
def test_the_models_may_tell_it_again_into_the_same_folder(tmp_path: Path) -> None:
    first = run_demo(tmp_path / "out", sizes=FEW)
    before = contents(tmp_path / "out")
    again = run_demo(tmp_path / "out", sizes=FEW)
    assert contents(tmp_path / "out").keys() == before.keys()
    assert again.commands == first.commands
