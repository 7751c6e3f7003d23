"""`radcap compare`: boards, tests and pages, and what every option does."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from base64 import b64encode
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from radcap.metrics import score_captions

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

QUICK = ("--resamples", "60", "--permutations", "60")
CAPTIONS = ("--truth", "truth", "--task", "captions", *QUICK)
CONCEPTS = ("--truth", "truth", "--task", "concepts", *QUICK)
BOTH = ("compare", "better.csv", "worse.csv", *CAPTIONS)
KEYS = [
    *("task", "edition", "profile", "n", "ranked_by", "note"),
    *("procedure", "metrics", "groups", "habits", "missing", "issues"),
]
STANDING = ["run", "value", "n", "interval", "rank", "ranks", "letters"]
PAIR = ["first", "second", "difference", "interval", "p", "p_holm", "p_bootstrap", "wins", "ties", "losses"]
PIXEL = bytes.fromhex("89504e470d0a1a0a0000000d494844520000000100000001080600000038f7b3c8")


def told(text: str) -> dict[str, Any]:
    return json.loads(text)


def standings(text: str, metric: int = 0) -> list[dict[str, Any]]:
    return told(text)["metrics"][metric]["standings"]


def column_of(out: str, name: str, column: int) -> str:
    return next(line.split()[column] for line in out.splitlines() if name in line.split()[:2])


# --- what is printed ---


def test_json_has_one_shape_for_programs(radcap: Command, captions: Path) -> None:
    done = radcap(*BOTH, "--json")
    assert (done.code, done.err) == (0, "")
    found = told(done.out)
    assert list(found) == KEYS
    assert (found["task"], found["edition"], found["profile"], found["n"]) == (
        "captions",
        "2025",
        "official",
        3,
    )
    assert (found["ranked_by"], [one["metric"] for one in found["metrics"]]) == ("rouge1", ["rouge1"])
    assert [list(one) for one in standings(done.out)] == [STANDING] * 2
    assert [list(one) for one in found["metrics"][0]["pairs"]] == [PAIR]
    assert list(found["habits"]) == list(found["issues"]) == ["better", "worse"]
    assert [one["code"] for one in found["issues"]["worse"]] == ["RUN103"]
    assert {tuple(one) for one in found["missing"]} == {("name", "why", "how")}
    assert done.out == radcap(*BOTH, "--format", "json").out


def test_the_values_are_those_of_score(radcap: Command, captions: Path) -> None:
    metrics = ("rouge1", "bleu1", "cider")
    done = radcap(*BOTH, "--metrics", ",".join(metrics), "--json")
    for place, metric in enumerate(metrics):
        found = {one["run"]: one["value"] for one in standings(done.out, place)}
        scored = {
            name: score_captions(f"{name}.csv", "truth", metrics=[metric])[metric].value for name in found
        }
        assert found == scored
        assert list(found) == sorted(found, key=lambda name: -found[name])


def test_the_table_is_for_people(radcap: Command, captions: Path) -> None:
    done = radcap(*BOTH)
    assert (done.code, done.err) == (0, "")
    best = score_captions("better.csv", "truth")["rouge1"].value
    assert done.out.startswith("rouge1 on 3 images, 95 % intervals")
    assert column_of(done.out, "better", 2) == f"{best:.6f}"
    assert "rouge1: first less second" in done.out
    assert re.search(r"truth +9\.0 +3 ", done.out)  # what the scores hide
    assert "RUN103" not in done.out  # a note on packing is no news for a board; JSON has it
    assert "overall could not be formed for every run, so rouge1 ranks." in done.out
    assert "better leads in rouge1 with " in done.out
    assert (
        done.out.strip()
        .splitlines()[-1]
        .endswith("|bootstrap:60|permutations:60|level:0.95|alpha:0.05|holm|seed:2026")
    )


def test_csv_has_every_digit_and_nothing_else(radcap: Command, captions: Path) -> None:
    done = radcap(*BOTH, "--format", "csv", "--metrics", "rouge1,bleu1")
    assert done.err == ""
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["metric"], row["run"]) for row in rows] == [
        ("rouge1", "better"), ("rouge1", "worse"), ("bleu1", "better"), ("bleu1", "worse"),
    ]  # fmt: skip
    assert float(rows[0]["value"]) == score_captions("better.csv", "truth")["rouge1"].value
    assert all(float(row["low"]) <= float(row["value"]) <= float(row["high"]) for row in rows)


def test_markdown_and_latex_are_one_table_each(radcap: Command, captions: Path) -> None:
    lines = radcap(*BOTH, "--format", "markdown").out.splitlines()
    assert len(lines) == 4
    assert len({line.count("|") for line in lines}) == 1
    assert [line.split("|")[2].strip() for line in lines] == ["run", ":-------", "better", "worse"]
    latex = radcap(*BOTH, "--format", "latex").out
    assert latex.count(r"\\") == 3
    assert r"\begin{tabular}{rlrrll}" in latex
    assert latex.count("{") == latex.count("}")


@pytest.mark.parametrize("output", ["table", "csv", "markdown", "latex", "json"])
def test_a_reader_who_leaves_early_does_no_harm(output: str, captions: Path) -> None:
    line = " ".join([f"'{sys.executable}' -m radcap", *BOTH, "--format", output, "| head -n 1"])
    done = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],  # noqa: S607, whichever bash there is
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_many_pairs_are_left_to_the_page(radcap: Command, captions: Path) -> None:
    runs = [f"{number}.csv" for number in range(7)]
    for run in runs:
        (captions / run).write_text((captions / "run.csv").read_text("utf-8"), encoding="utf-8")
    done = radcap("compare", *runs, *CAPTIONS)
    assert "first less second" not in done.out
    assert done.err == "21 pairs were tested. See them with --report FILE or --json.\n"
    assert len(told(radcap("compare", *runs, *CAPTIONS, "--json").out)["metrics"][0]["pairs"]) == 21


# --- one run, the same run, concepts ---


def test_one_run_has_no_pair_and_the_first_rank(radcap: Command, captions: Path) -> None:
    done = radcap("compare", "better.csv", *CAPTIONS, "--json", "--report", "page.html")
    (only,) = standings(done.out)
    assert done.code == 0
    assert (only["rank"], only["ranks"], only["letters"]) == (1, {"best": 1, "worst": 1}, "a")
    assert told(done.out)["metrics"][0]["pairs"] == []
    assert (captions / "page.html").stat().st_size > 1000
    assert radcap("compare", "better.csv", *CAPTIONS).code == 0


def test_the_same_run_twice_differs_in_nothing_but_its_name(radcap: Command, captions: Path) -> None:
    done = radcap("compare", "run.csv", "./run.csv", "better.csv", *CAPTIONS, "--json")
    found = standings(done.out)
    assert [one["run"] for one in found] == ["better", "run", "run (2)"]  # better.csv holds the same run
    assert {(one["rank"], one["letters"], one["value"]) for one in found} == {(1, "a", found[0]["value"])}
    pairs = told(done.out)["metrics"][0]["pairs"]
    assert {(one["p"], one["p_holm"], one["p_bootstrap"], one["ties"]) for one in pairs} == {(1, 1, 1, 3)}
    assert "share the first rank" in radcap("compare", "run.csv", "run.csv", *CAPTIONS).out


def test_runs_of_one_name_are_told_apart_by_their_folders(radcap: Command, captions: Path) -> None:
    for team in ("x", "y"):
        (captions / team).mkdir()
        (captions / team / "run.csv").write_text((captions / "run.csv").read_text("utf-8"), encoding="utf-8")
    done = radcap("compare", "x/run.csv", "y/run.csv", "worse.csv", *CAPTIONS, "--json")
    assert [one["run"] for one in standings(done.out)] == [f"x{os.sep}run", f"y{os.sep}run", "worse"]


def test_concepts_are_compared_as_well(radcap: Command, folder: Path) -> None:
    done = radcap("compare", "a.csv", "b.csv", *CONCEPTS, "--json")
    found = told(done.out)
    assert (done.code, found["ranked_by"], found["note"]) == (0, "f1", "")
    assert [one["metric"] for one in found["metrics"]] == ["f1", "f1_manual", "precision", "recall"]
    assert standings(done.out)[0]["value"] == (2 / 3 + 1.0 + 2 / 3) / 3


def test_manual_labels_can_be_given_apart(radcap: Command, folder: Path) -> None:
    (folder / "truth" / "concepts_manual.csv").rename(folder / "labels.csv")
    without = radcap("compare", "a.csv", "b.csv", *CONCEPTS)
    assert (without.code, "f1_manual: not scored." in without.out) == (0, True)
    done = radcap("compare", "a.csv", "b.csv", *CONCEPTS, "--manual", "labels.csv", "--json")
    assert [one["metric"] for one in told(done.out)["metrics"]][1] == "f1_manual"


# --- what is ranked by, and how ---


def test_another_metric_can_rank(radcap: Command, captions: Path) -> None:
    named = (*BOTH, "--metrics", "bleu1,rouge1", "--json")
    assert told(radcap(*named).out)["ranked_by"] == "bleu1"  # the first that is named
    found = told(radcap(*named, "--rank-by", "rouge1").out)
    assert (found["ranked_by"], found["note"]) == ("rouge1", "")
    assert [one["metric"] for one in found["metrics"]] == ["rouge1", "bleu1"]
    assert told(radcap(*BOTH, "--edition", "2025", "--json").out)["note"].startswith("overall could not")


def test_all_ranks_by_the_edition_where_it_can(
    radcap: Command, captions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("radcap.metrics.providers.java.find_spec", lambda _: None)  # no METEOR
    found = told(radcap(*BOTH, "--metrics", "all", "--json").out)
    assert found["note"] == "overall could not be formed for every run, so rouge1 ranks."
    assert len(found["metrics"]) == 9


def test_the_seed_makes_the_same_bytes_and_another_seed_others(radcap: Command, captions: Path) -> None:
    arguments = (*BOTH, "--report", "page.html", "--json", "--seed")
    first, page = radcap(*arguments, "7").out, (captions / "page.html").read_bytes()
    assert radcap(*arguments, "7").out == first
    assert (captions / "page.html").read_bytes() == page
    other = radcap(*arguments, "8").out
    assert other.replace('"seed": 8', '"seed": 7') != first
    assert told(other)["procedure"]["seed"] == 8


def test_the_procedure_is_as_it_is_asked_for(radcap: Command, captions: Path) -> None:
    arguments = ("--resamples", "200", "--permutations", "70", "--level", "0.5", "--alpha", "0.9", "--json")
    done = radcap(*BOTH, *arguments)
    assert told(done.out)["procedure"] == {
        "resamples": 200, "permutations": 70, "level": 0.5, "alpha": 0.9, "seed": 2026,
    }  # fmt: skip
    narrow, wide = standings(done.out)[0], standings(radcap(*BOTH, "--resamples", "200", "--json").out)[0]
    assert narrow["interval"]["low"] >= wide["interval"]["low"]
    assert narrow["interval"]["high"] <= wide["interval"]["high"]
    assert narrow["interval"] != wide["interval"]


@pytest.mark.parametrize("edition", ["2024", "2026", "rocov2", "radcap"])
def test_the_edition_and_the_profile_hold_for_every_run(
    edition: str, radcap: Command, captions: Path
) -> None:
    rules = ("--edition", edition, "--profile", "documented", "--metrics", "rouge1", "--json")
    found = told(radcap(*BOTH, *rules).out)
    assert (found["edition"], found["profile"]) == (edition, "documented")
    assert f"|edition:{edition}|profile:documented|" in found["metrics"][0]["signature"]


# --- what is absent, refused, wrong ---


def test_what_is_named_and_absent_is_3_and_the_rest_is_compared(radcap: Command, captions: Path) -> None:
    done = radcap(*BOTH, "--metrics", "rouge1,bleurt", "--json", "--report", "page.html")
    assert done.code == 3
    assert [one["name"] for one in told(done.out)["missing"]] == ["bleurt"]
    assert len(standings(done.out)) == 2
    assert (captions / "page.html").exists()
    done = radcap(*BOTH, "--metrics", "rouge1,bleurt")
    assert done.code == 3
    assert "bleurt: not scored. A provider of bleurt is missing." in done.out
    assert "better leads in rouge1" in done.out


@pytest.mark.parametrize("output", ["table", "json"])
def test_where_no_metric_is_left_nothing_is_compared(
    output: str, radcap: Command, captions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RADCAP_SPACY_MODEL", raising=False)
    for name in ("better", "worse"):
        (captions / f"{name}.csv").write_text("img_1|CT\nimg_2|MRI\nimg_3|X\n", encoding="utf-8")
    done = radcap(*BOTH, "--edition", "2022", "--profile", "documented", "--format", output)
    assert (done.code, done.out) == (3, "")
    assert "A spaCy model is missing." in done.err
    assert "--spacy-model" in done.err


def test_all_refused_runs_are_listed_with_their_paths(radcap: Command, captions: Path) -> None:
    (captions / "worse.csv").write_text("ID,Caption\nimg_1,CT\n", encoding="utf-8")
    (captions / "odd.csv").write_text("ID,Caption\nimg_1,CT\nimg_2,MRI\nimg_3,X\nimg_4,X\n", encoding="utf-8")
    runs = ("compare", "better.csv", "worse.csv", "odd.csv", "absent.csv", *CAPTIONS)
    done = radcap(*runs, "--report", "page.html")
    assert done.code == 1
    found = {(line.split(":")[0], line.split()[1]) for line in done.out.splitlines()}
    assert {("worse.csv", "RUN207"), ("odd.csv", "RUN205"), ("absent.csv", "RUN101")} <= found
    assert "3 of 4 runs cannot be scored: worse.csv, odd.csv, absent.csv." in done.err
    assert not (captions / "page.html").exists()
    issues = told(radcap(*runs, "--json").out)["issues"]
    assert list(issues) == ["worse.csv", "odd.csv", "absent.csv"]
    assert "RUN205" in [one["code"] for one in issues["odd.csv"]]


WRONG_FILES = {
    "no truth": (("better.csv", "worse.csv"), "nowhere", "captions", "No truth at nowhere."),
    "no captions": (("better.csv",), "empty", "captions", "empty holds no captions.csv."),
    "concepts for a truth": (("better.csv",), "truth/concepts.csv", "captions", "holds concepts"),
    "ids for a truth": (("better.csv",), "ids.csv", "captions", "ids.csv holds no caption, only ids."),
    "concepts for a run": (("better.csv", "a.csv"), "truth", "captions", "a.csv holds concepts, e.g. C"),
    "another split": (("better.csv",), "other.csv", "captions", "1 of 1 run cannot be scored: better.csv."),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_the_wrong_file_is_said_once(name: str, radcap: Command, captions: Path) -> None:
    (captions / "empty").mkdir()
    (captions / "ids.csv").write_text("ID\nimg_1\nimg_2\nimg_3\n", encoding="utf-8")
    (captions / "other.csv").write_text("ID,Caption\nval_1,CT\nval_2,MRI\n", encoding="utf-8")
    runs, truth, task, why = WRONG_FILES[name]
    for output in ("table", "json"):
        done = radcap("compare", *runs, "--truth", truth, "--task", task, *QUICK, "--format", output)
        assert done.code == 1
        assert done.err.count(why) == 1
        assert output == "table" or list(told(done.out)) == ["issues"]


def test_a_run_with_an_empty_caption_is_compared_and_found(radcap: Command, captions: Path) -> None:
    (captions / "worse.csv").write_text("ID,Caption\nimg_1,\nimg_2,MRI\nimg_3,X\n", encoding="utf-8")
    done = radcap(*BOTH)
    assert done.code == 1  # the evaluator of 2025 fails on it
    assert "worse.csv:2:7: RUN401 " in done.out
    assert "better leads in rouge1" in done.out
    assert radcap(*BOTH, "--edition", "radcap").code == 0


WRONG_USAGE = {
    "no run": ("compare", *CAPTIONS),
    "no truth": ("compare", "better.csv", "--task", "captions"),
    "no task": ("compare", "better.csv", "--truth", "truth"),
    "unknown task": ("compare", "better.csv", "--truth", "truth", "--task", "pictures"),
    "unknown edition": (*BOTH, "--edition", "2016"),
    "subtask that was not held": (*BOTH, "--edition", "2019"),
    "unknown profile": (*BOTH, "--profile", "offical"),
    "unknown metric": (*BOTH, "--metrics", "rouge"),
    "no metric": (*BOTH, "--metrics", ","),
    "unknown metric to rank by": (*BOTH, "--rank-by", "rouge"),
    "absent metric to rank by": (*BOTH, "--rank-by", "bertscore"),
    "caption metrics for concepts": ("compare", "a.csv", *CONCEPTS, "--metrics", "rouge1"),
    "manual labels for captions": (*BOTH, "--manual", "truth/concepts_manual.csv"),
    "unknown format": (*BOTH, "--format", "html"),
    "no resample": (*BOTH, "--resamples", "0"),
    "no draw": (*BOTH, "--permutations", "0"),
    "level of 1": (*BOTH, "--level", "1"),
    "alpha of 0": (*BOTH, "--alpha", "0"),
    "seed below 0": (*BOTH, "--seed", "-1"),
    "level that is no number": (*BOTH, "--level", "high"),
    "level beyond numbers": (*BOTH, "--level", "nan"),
    "page without its ending": (*BOTH, "--report", "page.zip"),
    "page over a folder": (*BOTH, "--report", "folder.html"),
    "page below a file": (*BOTH, "--report", "better.csv/page.html"),
    "page over a run": ("compare", "run.html", *CAPTIONS, "--report", "run.html"),
    "page over the truth": (*BOTH, "--report", "truth/note.html"),
    "pictures without a page": (*BOTH, "--images", "truth"),
    "pictures from nowhere": (*BOTH, "--report", "page.html", "--images", "nowhere"),
}


@pytest.mark.parametrize("name", WRONG_USAGE)
def test_wrong_usage_is_2_and_leaves_nothing(name: str, radcap: Command, captions: Path) -> None:
    (captions / "folder.html").mkdir()
    for page in ("run.html", "truth/note.html"):
        (captions / page).write_text((captions / "run.csv").read_text("utf-8"), encoding="utf-8")
    before = {path: path.is_file() and path.read_bytes() for path in captions.rglob("*")}
    done = radcap(*WRONG_USAGE[name])
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert "Traceback" not in done.err
    assert {path: path.is_file() and path.read_bytes() for path in captions.rglob("*")} == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_rights_is_a_sentence(radcap: Command, captions: Path) -> None:
    (captions / "locked").mkdir(mode=0o555)
    done = radcap(*BOTH, "--report", "locked/page.html")
    assert (done.code, done.out) == (2, "")
    assert "locked" in done.err


def test_a_disk_that_fills_up_leaves_no_half_page(
    radcap: Command, captions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (captions / "page.html").write_text("the page of yesterday", encoding="utf-8")
    before = sorted(captions.iterdir())

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("radcap.formats.writing.Path.replace", fail)
    done = radcap(*BOTH, "--report", "page.html")
    assert (done.code, done.out) == (2, "")
    assert "No space left on device" in done.err
    assert sorted(captions.iterdir()) == before
    assert (captions / "page.html").read_text("utf-8") == "the page of yesterday"


# --- the page ---


class Links(HTMLParser):
    """What a page would load, and what it would run."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.sources += [value or "" for name, value in attrs if name in {"src", "href", "srcset", "data"}]
        assert not [name for name, _ in attrs if name.startswith("on")]


def read_page(path: Path) -> Links:
    links = Links()
    links.feed(path.read_text("utf-8"))
    return links


def test_the_page_is_one_file_that_fetches_and_runs_nothing(radcap: Command, captions: Path) -> None:
    done = radcap(*BOTH, "--report", "new/page.html")
    assert (done.code, done.err) == (0, f"The page is new{os.sep}page.html.\n")
    links = read_page(captions / "new" / "page.html")
    assert not links.tags & {"script", "iframe", "object", "embed", "form"}
    assert all(source.startswith(("#", "data:")) for source in links.sources)
    text = (captions / "new" / "page.html").read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "img_1" in text  # for two runs, the images that changed most
    assert "@import" not in text
    assert not re.search(r"url\((?!data:|#)", text)


def test_pictures_are_put_into_the_page_by_image_id(radcap: Command, captions: Path) -> None:
    (captions / "pictures").mkdir()
    (captions / "pictures" / "img_1.png").write_bytes(PIXEL)
    (captions / "pictures" / "img_3.png").write_bytes(PIXEL)  # did not change, so it is not shown
    assert radcap(*BOTH, "--report", "page.html", "--images", "pictures").code == 0
    shown = [one for one in read_page(captions / "page.html").sources if one.startswith("data:image")]
    assert shown == [f"data:image/png;base64,{b64encode(PIXEL).decode()}"]
    assert radcap(*BOTH, "--report", "page.html").code == 0
    assert "data:image" not in (captions / "page.html").read_text("utf-8")


def test_of_three_runs_no_image_is_shown(radcap: Command, captions: Path) -> None:
    (captions / "pictures").mkdir()
    (captions / "pictures" / "img_1.png").write_bytes(PIXEL)
    page = ("--report", "page.html", "--images", "pictures")
    assert radcap("compare", "better.csv", "worse.csv", "run.csv", *CAPTIONS, *page).code == 0
    assert "img_1" not in (captions / "page.html").read_text("utf-8")


# --- images that hang together ---


def test_groups_are_read_from_a_table(radcap: Command, captions: Path) -> None:
    ids = [line.split(",")[0] for line in (captions / "truth" / "captions.csv").read_text().splitlines()[1:]]
    rows = [f"{one},{'first' if place < 2 else ''}" for place, one in enumerate(ids)]
    (captions / "groups.csv").write_text("\n".join(["ID,group", *rows]) + "\n")
    done = radcap(*BOTH, "--groups", "groups.csv")
    assert done.code == 0
    assert done.out.splitlines()[-1].endswith(f"|groups:{len(ids) - 1}")
    assert told(radcap(*BOTH, "--groups", "groups.csv", "--json").out)["groups"] == len(ids) - 1


def test_groups_of_other_images_are_refused(radcap: Command, captions: Path) -> None:
    (captions / "groups.csv").write_text("ID,group\nother,a\n")
    done = radcap(*BOTH, "--groups", "groups.csv")
    assert (done.code, done.out) == (2, "")
    assert "have no group" in done.err
