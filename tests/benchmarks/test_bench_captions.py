"""The caption benchmarks run at a tiny size, and radcap equals the libraries there, caption by caption."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections import Counter
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import pytest
from bench_files import BENCHMARKS, run_script

from radcap import validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def read(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["ID", "Caption"]
    return dict(rows[1:])


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("captions") / "full"
    assert run_script("synthetic_captions.py", folder, "--runs", "2").returncode == 0
    return folder


@pytest.mark.slow
def test_bench_captions_finds_every_caption_equal() -> None:
    done = run_script("bench_captions.py", "--quick", "--images", "80")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^\| (ROUGE|BLEU|CIDEr).*\| equal to \S+.* \|$", done.stdout, re.MULTILINE) == [
        *("ROUGE", "ROUGE", "BLEU", "CIDEr")
    ]
    assert done.stdout.count("| equal to the last bit |") >= 4  # CIDEr may differ in the last one
    assert "made up" in done.stdout
    assert "| `radcap score captions` |" in done.stdout


@pytest.mark.slow  # Java reads its paraphrases three times
def test_bench_meteor_finds_every_caption_equal() -> None:
    done = run_script("bench_meteor.py", "--quick", "--images", "30")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| equal to the last bit |") == 2
    assert "extrapolated" in done.stdout


def test_what_is_extrapolated_stands_in_italics(script: Callable[[str], Any]) -> None:
    bench, work = script("bench_meteor"), script("work")
    theirs, ours = work.Work(30.0, 12.0, [0.5, 0.25]), work.Work(20.0, 24.0, [0.5, 0.25, 0.75])
    assert bench._row("each", theirs, ours, ours.values[:2], scale=10) == (
        *("each", "*300*", "*120*", "*15x*", "*5.0x*", "equal to the last bit"),
    )
    assert bench._row("all", theirs, ours, ours.values[:2])[1:5] == ("30.0", "12.0", "1.5x", "0.5x")


@pytest.mark.parametrize(
    ("ours", "theirs", "tolerance"),
    [
        ([0.5, 0.30000000000000004], [0.5, 0.3], 0.0),
        ([0.5, 0.4], [0.5, 0.3], 1e-9),
        ([0.5, float("nan")], [0.5, 0.3], 1e-9),
    ],
)
def test_a_different_value_fails_loudly(
    script: Callable[[str], Any], ours: list[float], theirs: list[float], tolerance: float
) -> None:
    with pytest.raises(script("stopwatch").Failed, match=r"BLEU: value 2 of 2 is .*, not 0\.3\."):
        script("work").same_values("BLEU", ours, theirs, tolerance)


def test_nothing_is_not_equal_to_nothing(script: Callable[[str], Any]) -> None:
    with pytest.raises(script("stopwatch").Failed, match="BLEU: no value"):
        script("work").same_values("BLEU", [], [])


def test_how_equal_is_said(script: Callable[[str], Any]) -> None:
    work = script("work")
    assert work.same_values("CIDEr", [1.0], [1.0]) == "equal to the last bit"
    assert work.same_values("CIDEr", [1.0], [1.0 + 2e-13], 1e-9) == "equal to 2e-13"


def test_work_that_gives_other_values_the_next_time_fails_loudly(
    script: Callable[[str], Any], tmp_path: Path
) -> None:
    (tmp_path / "odd.py").write_text(
        "import json, time; print(json.dumps({'wall_s': 1, 'cpu_s': 1, 'values': [time.time()]}))",
        encoding="utf-8",
    )
    with pytest.raises(script("stopwatch").Failed, match="gave other values"):
        script("work").time_work(tmp_path / "odd.py", "way", times=2)


def test_work_is_timed_with_the_programs_it_starts(script: Callable[[str], Any], tmp_path: Path) -> None:
    (tmp_path / "busy.py").write_text(
        f"""
import subprocess, sys, time
sys.path.insert(0, {str(BENCHMARKS)!r})
from work import show_work
busy = "import time\\nwhile time.process_time() < 0.3: pass"

def work():
    subprocess.run([sys.executable, "-c", busy], check=True)
    time.sleep(0.3)
    return [0.1 + 0.2]

time.sleep(0.5)  # before the clock starts
show_work(work)
""",
        encoding="utf-8",
    )
    done = script("work").time_work(tmp_path / "busy.py", "way")
    assert done.values == [0.1 + 0.2]
    assert 0.3 < done.cpu_s < done.wall_s


def test_the_other_ways_know_nothing_of_radcap() -> None:
    code = "import sys, official_captions, official_compare; sys.exit('radcap' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=BENCHMARKS, check=False).returncode == 0


def test_the_measuring_script_stays_small() -> None:
    code = "import sys, run; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=BENCHMARKS, check=False).returncode == 0


def test_made_up_captions_have_the_shape_of_real_ones(full: Path) -> None:
    truth = read(full / "captions.csv")
    words = [caption.split() for caption in truth.values()]
    tokens = Counter(re.findall(r"\w+", " ".join(truth.values()).lower()))
    assert list(truth) == [f"ImageCLEFmedical_Caption_2025_test_{n:06d}" for n in range(1, 19_268)]
    assert mean(map(len, words)) == pytest.approx(22, abs=0.5)
    assert median(map(len, words)) == pytest.approx(16, abs=1)
    assert 11_500 < len(tokens) < 12_500
    assert sum(n for _, n in tokens.most_common(40)) > tokens.total() * 0.35  # a long tail behind few words
    assert 0.005 < 1 - len(set(truth.values())) / len(truth) < 0.02
    assert all(caption[0].isupper() or not caption[0].isalpha() for caption in truth.values())
    assert 0.3 < mean(bool(re.search(r"\d", caption)) for caption in truth.values()) < 0.7
    assert 0.05 < mean(not caption.isascii() for caption in truth.values()) < 0.3


def test_made_up_runs_are_valid_and_neither_right_nor_wrong(full: Path) -> None:
    truth = read(full / "captions.csv")
    for name in ("run01.csv", "run02.csv"):
        run = read(full / name)
        parts = ((set(run[one].split()), set(caption.split())) for one, caption in truth.items())
        shared = [len(said & true) / len(true) for said, true in parts]
        assert 0.3 < mean(shared) < 0.7
        assert validate(full / name, "captions", truth=full / "captions.csv").ok
    assert (full / "run01.csv").read_bytes() != (full / "run02.csv").read_bytes()


def test_the_same_seed_gives_the_same_captions(tmp_path: Path) -> None:
    for name in ("a", "b"):
        done = run_script("synthetic_captions.py", tmp_path / name, "--images", "30", "--runs", "2")
        assert done.returncode == 0
    for file in ("captions.csv", "run01.csv", "run02.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


# P17 as in section 4 of the evaluation spec; the CIDEr of one image alone is 0.
@pytest.mark.parametrize(
    ("theirs", "ours", "said", "true", "value"),
    [
        ("rouge1", "rouge1", "Left lung mass", "mass in the left lung", 0.7499999999999999),
        ("rouge", "rouge1", "Left lung mass", "mass in the left lung", 0.7499999999999999),
        ("bleu2017", "bleu2017", "A CT scan, shows the 3.5-cm mass", "ct scan showing 35cm mass", 1.0),
        ("cider", "cider", "left lung", "left lung", 0.0),
    ],
)
def test_both_ways_score_a_caption(
    script: Callable[[str], Any], theirs: str, ours: str, said: str, true: str, value: float
) -> None:
    assert script("official_captions").WAYS[theirs]([said], [true])() == [value]
    assert script("radcap_captions").WAYS[ours]([said], [true]) == [value]
