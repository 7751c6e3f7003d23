"""Every benchmark runs at a tiny size, and ours equals the reference there."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from bench_files import run_script

from radcap import score_concepts, validate
from radcap.core import cui_set

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def read(path: Path) -> dict[str, list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["ID", "CUIs"]
    return {image_id: cell.split(";") for image_id, cell in rows[1:]}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synthetic") / "full"
    assert run_script("synthetic.py", folder).returncode == 0
    return folder


def test_bench_concepts_finds_both_ways_equal_to_the_last_bit() -> None:
    done = run_script("bench_concepts.py", "--quick", "--images", "60")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("equal to the last bit") == 2


@pytest.mark.slow
def test_bench_validate_comes_to_the_same_verdicts() -> None:
    done = run_script("bench_validate.py", "--quick", "--images", "60")
    assert done.returncode == 0, done.stderr
    assert "extrapolated" in done.stdout
    assert "| radcap, 60 rows |" in done.stdout


def test_different_scores_fail_loudly(script: Callable[[str], Any]) -> None:
    bench, stopwatch = script("bench_concepts"), script("stopwatch")

    def printed(value: object) -> object:
        return stopwatch.Measured(1.0, 1.0, 1.0, 1, 0, json.dumps(value))

    scores = [{"name": "f1", "value": 0.5}, {"name": "f1_manual", "value": 0.30000000000000004}]
    with pytest.raises(stopwatch.Failed, match=r"0\.30000000000000004.*0\.3\."):
        bench._same_scores(printed({"scores": scores}), printed({"f1": 0.5, "f1_manual": 0.3}))


def test_a_command_that_ends_wrongly_fails_loudly(script: Callable[[str], Any]) -> None:
    stopwatch = script("stopwatch")
    with pytest.raises(stopwatch.Failed, match="ended with 3, not 0: no such thing"):
        stopwatch.measure([sys.executable, "-c", "import sys; print('no such thing'); sys.exit(3)"])


def test_a_command_is_measured_from_outside(script: Callable[[str], Any]) -> None:
    code = "x = bytearray(300 * 2**20); import time; time.sleep(0.2); print('done')"
    done = script("stopwatch").measure([sys.executable, "-c", code])
    assert done.output == "done\n"
    assert done.wall_s > 0.2
    assert done.cpu_s < done.wall_s + 0.05
    assert done.peak_mib > 300


def test_tables_of_small_sizes_are_not_written() -> None:
    done = run_script("run.py", "--quick", "--write")
    assert done.returncode == 2
    assert "full run only" in done.stderr


@pytest.mark.parametrize("name", ["run", "bench_training", "bench_captioning"])
def test_tables_go_between_the_marks(script: Callable[[str], Any], name: str) -> None:
    bench, page, stopwatch = script(name), script("page"), script("stopwatch")
    marks = (bench.BEGIN, bench.END)
    old = f"before\n{marks[0]}\nold\n{marks[1]}\nafter\n"
    assert page.put_between(old, *marks, "new") == f"before\n{marks[0]}\n\nnew\n\n{marks[1]}\nafter\n"
    with pytest.raises(stopwatch.Failed, match="Nothing was written"):
        page.put_between("no marks", *marks, "new")
    assert page.put_between(page.PAGE.read_text(encoding="utf-8"), *marks, "new")


@pytest.mark.parametrize(
    ("measured", "at_least", "judged", "verdict"),
    [
        (0.4, False, True, "yes"),
        (0.6, False, True, "**no**"),
        (0.6, True, True, "yes"),
        (0.6, False, False, "not at this size"),
    ],
)
def test_a_goal_stands_beside_what_was_measured(
    script: Callable[[str], Any], measured: float, at_least: bool, judged: bool, verdict: str
) -> None:
    goal = script("tables").Goal("work", measured, 0.5, "s", at_least=at_least)
    assert goal.row(judged=judged)[-1] == verdict


def test_the_truth_has_the_shape_of_the_2025_test_set(full: Path) -> None:
    truth, manual = read(full / "truth" / "concepts.csv"), read(full / "truth" / "concepts_manual.csv")
    counts = Counter(cui for cuis in truth.values() for cui in cuis)
    assert list(truth) == [f"ImageCLEFmedical_Caption_2025_test_{n:06d}" for n in range(1, 19_268)]
    assert list(manual) == list(truth)
    assert counts.total() / len(truth) == pytest.approx(3.84, abs=0.02)
    assert sum(map(len, manual.values())) / len(manual) == pytest.approx(1.26, abs=0.02)
    assert 1_900 < len(counts) <= 2_000
    assert counts.total() > 100 * min(counts.values()) * len(counts) / 10  # a long tail
    assert cui_set("manual15").cuis < {cui for cuis in manual.values() for cui in cuis}
    assert all(set(manual[image_id]) <= set(cuis) for image_id, cuis in truth.items())


def test_the_run_is_valid_and_as_good_as_a_leading_one(full: Path) -> None:
    report = score_concepts(full / "run.csv", full / "truth")
    assert 0.5 < report["f1"].value < 0.65
    assert 0.9 < report["f1_manual"].value < 0.98
    assert validate(full / "run.csv", "concepts", truth=full / "truth").ok


def test_every_line_of_the_broken_run_has_an_error(full: Path) -> None:
    found = validate(full / "broken.csv", "concepts", truth=full / "truth")
    slips = ("RUN202", "RUN204", "RUN211", "RUN302", "RUN303", "RUN304", "RUN305", "RUN307", "RUN208")
    assert set(slips) <= set(found.counts)
    assert min(found.counts[code] for code in slips) >= 19_267 // 8


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert run_script("synthetic.py", tmp_path / name, "--images", "30").returncode == 0
    for file in ("run.csv", "broken.csv", "truth/concepts.csv", "truth/concepts_manual.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


# Evaluation spec, section 3, column "2022-26 official": a row of a run against a cell of the truth.
@pytest.mark.parametrize(
    ("truth", "row", "value"),
    [
        ("C1;C2", "a,C1", 2 / 3),
        ("C1", "a,C1;", 2 / 3),
        ("C1", "a,c1", 1.0),
        ("C1", "a,", 0.0),
        ("C1", "a", 0.0),
        ("", "a,", 1.0),
        ("", "a", 0.0),
        ("", "a,C1", 0.0),
    ],
)
def test_the_reference_scores_as_the_official_evaluator(
    script: Callable[[str], Any], tmp_path: Path, truth: str, row: str, value: float
) -> None:
    official = script("official_concepts")
    (tmp_path / "truth.csv").write_text(f"ID,CUIs\na,{truth}\n", encoding="utf-8")
    (tmp_path / "run.csv").write_text(f"{row}\n", encoding="utf-8")
    labels = official.read_truth(tmp_path / "truth.csv")
    assert official.mean_f1(official.read_run(tmp_path / "run.csv", labels), labels) == value


@pytest.mark.parametrize(
    ("run", "fault"),
    [
        ("a,C1,C2\nb,\n", "line 1: 3 cells"),
        ("a,C1\nx,\n", "line 2: unknown id x"),
        ("a,C1\na,C1\n", "line 2: id a again"),
        ("a," + ";".join(f"C{n}" for n in range(101)), "line 1: 101 concepts"),
        ("a,C1;C1\nb,\n", "line 1: a concept twice"),
        ("ID,CUIs\na,C1\n", "1 of 2 ids"),
    ],
)
def test_the_reference_stops_at_the_first_fault(
    script: Callable[[str], Any], tmp_path: Path, run: str, fault: str
) -> None:
    official = script("official_concepts")
    (tmp_path / "run.csv").write_text(run, encoding="utf-8")
    with pytest.raises(ValueError, match=fault):
        official.read_run(tmp_path / "run.csv", {"a": ("C1",), "b": ("C2",)})
