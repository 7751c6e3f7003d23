"""`radcap score concepts`: what it prints, as a table, as JSON, per image."""

from __future__ import annotations

import csv
import json
import os
import re
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from score_shapes import ISSUE_KEYS, REPORT_KEYS, SCORE_KEYS, row_of, shape

from radcap.core import VERSION
from radcap.metrics import score_concepts

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

SCORE = ("score", "concepts", "run.csv", "truth")
F1 = (2 / 3 + 1.0 + 2 / 3) / 3
ISSUE_LINE = re.compile(r"[^:\n]+:\d+:\d+: (RUN|TRU)\d{3} .+")


def test_json_has_the_shape_of_the_interface(radcap: Command, folder: Path) -> None:
    done = radcap(*SCORE, "--json")
    assert done.err == ""
    told = json.loads(done.out)
    assert shape(told) == REPORT_KEYS
    assert list(told) == list(REPORT_KEYS)
    assert (told["edition"], told["profile"], told["task"], told["n"]) == ("2025", "official", "concepts", 3)
    assert [list(map(shape, told[key])) for key in ("scores", "issues")] == [
        [SCORE_KEYS] * 6,
        [ISSUE_KEYS] * len(told["issues"]),
    ]
    assert told["issues"]
    assert told["aggregates"] == {}
    assert told["missing"] == []


def test_json_has_the_metric_names_of_the_interface(radcap: Command, folder: Path) -> None:
    told = json.loads(radcap(*SCORE, "--json").out)
    names = [score["name"] for score in told["scores"]]
    assert names == ["f1", "f1_manual", "precision", "recall", "f1_micro", "f1_macro"]


def test_json_has_floats_in_full(radcap: Command, folder: Path) -> None:
    done = radcap(*SCORE, "--json")
    assert f'"value": {F1!r},' in done.out
    report = score_concepts("run.csv", "truth")
    assert [score["value"] for score in json.loads(done.out)["scores"]] == [
        one.value for one in report.scores
    ]


def test_json_lists_a_score_that_could_not_be_formed_as_missing(radcap: Command, folder: Path) -> None:
    done = radcap("score", "concepts", "run.csv", "truth/concepts.csv", "--json")
    (missing,) = json.loads(done.out)["missing"]
    assert done.code == 0
    assert shape(missing) == {"name": str, "why": str, "how": str}
    assert missing["name"] == "f1_manual"


def test_the_table_shows_both_profiles_with_six_digits_and_their_images(
    radcap: Command, folder: Path
) -> None:
    done = radcap(*SCORE)
    assert done.err == ""
    assert row_of(done.out, "f1") == ["f1", "0.777778", "3", "0.777778", "3"]
    assert row_of(done.out, "f1_manual") == ["f1_manual", "0.833333", "2", "0.833333", "2"]
    assert row_of(done.out, "score")[:2] == ["score", "official"]


def test_beside_the_scores_stands_what_they_hide(radcap: Command, folder: Path) -> None:
    out = radcap(*SCORE).out
    assert re.search(r"CUIs per image +1\.67 +2\.00\b", out)
    assert re.search(r"distinct CUIs +5 +6\b", out)
    assert re.search(r"images without CUI +0 +0\b", out)


def test_the_signature_stands_below_the_table(radcap: Command, folder: Path) -> None:
    last = radcap(*SCORE).out.strip().splitlines()[-1]
    assert last.startswith("f1|edition:2025|profile:official|cuis:all|")
    assert last.endswith(f"|radcap:{VERSION}")


@pytest.mark.parametrize("profile", ["official", "documented"])
def test_the_chosen_profile_comes_first(profile: str, radcap: Command, folder: Path) -> None:
    assert row_of(radcap(*SCORE, "--profile", profile).out, "score")[1] == profile
    assert json.loads(radcap(*SCORE, "--profile", profile, "--json").out)["profile"] == profile


def test_where_the_other_profile_has_no_mean_the_chosen_one_stands_alone(
    radcap: Command, folder: Path
) -> None:
    truth = "ID,CUIs\nimg_1,\nimg_2,\nimg_3,\n"
    (folder / "empty.csv").write_text(truth, encoding="utf-8")
    (folder / "none.csv").write_text(truth, encoding="utf-8")
    done = radcap("score", "concepts", "none.csv", "empty.csv")
    assert done.code == 0
    assert row_of(done.out, "f1") == ["f1", "1.000000", "3"]


# --- a run the edition refuses ---


REFUSED = "ID,CUIs\nimg_1,C1;C1\nimg_2,C2\nimg_9,C3\n"


def test_a_refused_run_gets_its_issues_and_no_score(radcap: Command, folder: Path) -> None:
    (folder / "run.csv").write_text(REFUSED, encoding="utf-8")
    done = radcap(*SCORE)
    lines = done.out.splitlines()
    assert done.code == 1
    assert all(ISSUE_LINE.fullmatch(line) for line in lines)
    assert {line.split()[1] for line in lines} >= {"RUN302", "RUN205", "RUN207"}
    assert "run.csv cannot be scored under edition 2025." in done.err
    assert not re.search(r"\bf1\b|0\.\d", done.out + done.err)


def test_a_refused_run_as_json_has_issues_and_no_scores(radcap: Command, folder: Path) -> None:
    (folder / "run.csv").write_text(REFUSED, encoding="utf-8")
    done = radcap(*SCORE, "--json")
    told = json.loads(done.out)
    assert done.code == 1
    assert (told["scores"], told["n"], told["habits"]) == ([], 0, None)
    assert {issue["code"] for issue in told["issues"] if issue["level"] == "error"} == {
        "RUN302",
        "RUN205",
        "RUN207",
    }


def test_the_tolerant_edition_scores_what_2026_refuses(radcap: Command, folder: Path) -> None:
    (folder / "run.csv").write_text("id,cuis\nimg_3,c0817096\nimg_1,C0040405;\nimg_2\n", encoding="utf-8")
    assert radcap(*SCORE, "--edition", "2026").code == 1
    done = radcap(*SCORE, "--edition", "radcap", "--json")
    told = json.loads(done.out)
    assert done.code == 0
    assert told["scores"][0]["value"] == (2 / 3 + 0.0 + 0.5) / 3
    assert told["issues"]


def test_labels_that_fail_the_secondary_score_are_findings_and_the_primary_stands(
    radcap: Command, folder: Path
) -> None:
    (folder / "truth" / "concepts_manual.csv").write_text("ID,CUIs\nimg_1,C0040405\n", encoding="utf-8")
    done = radcap(*SCORE, "--json")
    told = json.loads(done.out)
    assert done.code == 1
    assert told["scores"][0]["value"] == F1
    assert [one["name"] for one in told["missing"]] == ["f1_manual"]
    assert [one["code"] for one in told["issues"]].count("TRU101") == 2


# --- options ---


def test_cuis_restricts_every_score_to_a_set(radcap: Command, folder: Path) -> None:
    told = json.loads(radcap(*SCORE, "--cuis", "manual", "--json").out)
    assert {score["n"] for score in told["scores"]} == {2}
    assert all("|cuis:manual15|" in score["signature"] for score in told["scores"])


def test_manual_labels_can_be_given_apart(radcap: Command, folder: Path) -> None:
    (folder / "truth" / "concepts_manual.csv").rename(folder / "labels.csv")
    done = radcap("score", "concepts", "run.csv", "truth", "--manual", "labels.csv")
    assert row_of(done.out, "f1_manual")[1] == "0.833333"


def test_the_switch_on_an_empty_truth_is_in_the_signature(radcap: Command, folder: Path) -> None:
    arguments = (*SCORE, "--profile", "documented", "--json", "--empty-truth")
    for switch in ("skip", "one"):
        told = json.loads(radcap(*arguments, switch).out)
        assert all(f"|empty:{switch}|" in score["signature"] for score in told["scores"])


@pytest.mark.parametrize("name", ["scores.parquet", "scores.csv"])
def test_per_image_values_go_to_a_file_and_nowhere_else(name: str, radcap: Command, folder: Path) -> None:
    done = radcap(*SCORE, "--per-image", name, "--json")
    assert "values" not in done.out
    if name.endswith(".csv"):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        values = {row["id"]: float(row["f1"]) for row in rows}
        manual = {row["id"]: float(row["f1_manual"]) if row["f1_manual"] else None for row in rows}
    else:
        rows = pq.read_table(folder / name).to_pylist()
        values = {row["id"]: row["f1"] for row in rows}
        manual = {row["id"]: row["f1_manual"] for row in rows}
    assert list(rows[0]) == ["id", "f1", "f1_manual", "precision", "recall"]
    assert values == {"img_1": 2 / 3, "img_2": 1.0, "img_3": 2 / 3}
    assert manual == {"img_1": 1.0, "img_2": None, "img_3": 2 / 3}


def test_findings_about_the_truth_stand_under_its_path(radcap: Command, folder: Path) -> None:
    labels = (folder / "truth" / "concepts.csv").read_text(encoding="utf-8")
    (folder / "truth" / "concepts.csv").write_text(f"{labels}img_1,C1\n", encoding="utf-8")
    twice = radcap("score", "concepts", "run.csv", "truth")
    assert twice.code == 1
    assert twice.out.startswith(f"truth{os.sep}concepts.csv:5:1: TRU103")
    assert "--fix" not in twice.err


def test_manual_labels_that_lack_an_image_are_named_under_the_truth(radcap: Command, folder: Path) -> None:
    (folder / "truth" / "concepts_manual.csv").write_text("ID,CUIs\nimg_1,C0040405\n", encoding="utf-8")
    done = radcap("score", "concepts", "run.csv", "truth")
    assert done.code == 1
    assert "truth:0:0: TRU101 img_2 has no row in concepts_manual.csv." in done.out
    assert "f1_manual: not scored. The official evaluator fails here" in done.out
