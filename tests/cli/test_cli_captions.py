"""`radcap score captions`: what it prints, what it cannot score, and what every option does."""

from __future__ import annotations

import csv
import json
import re
import string
import subprocess
import sys
import zipfile
from math import isclose
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from nltk.translate.bleu_score import sentence_bleu
from rouge_score.rouge_scorer import RougeScorer
from score_shapes import ISSUE_KEYS, REPORT_KEYS, SCORE_KEYS, row_of, shape

from radcap.core import VERSION
from radcap.metrics import AGGREGATES, CAPTION_METRICS, score_captions

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

SCORE = ("score", "captions", "run.csv", "truth")
OLD = ("score", "captions", "old.csv", "truth/old_captions.csv", "--edition")
SIX = ["similarity", "bertscore", "rouge1", "bleurt", "umls_f1", "alignscore"]
MISSING_KEYS = {"name": str, "why": str, "how": str}
HABITS = ("words_per_caption", "distinct_captions", "most_frequent_share", "vocabulary", "empty_captions")


def names(told: dict[str, Any], key: str = "scores") -> list[str]:
    return [one["name"] for one in told[key]]


def captions_of(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["ID"]: row["Caption"] for row in csv.DictReader(file)}


def as_2023_does(text: str) -> str:
    """Lower case, runs of digits as a word, no ASCII punctuation: the preparation of 2023 to 2026."""
    return re.sub(r"\d+", "number", text.lower()).translate(str.maketrans("", "", string.punctuation))


def rouge1_by_the_library(folder: Path) -> float:
    said, true = captions_of(folder / "run.csv"), captions_of(folder / "truth" / "captions.csv")
    scorer = RougeScorer(["rouge1"])
    values = [
        scorer.score(as_2023_does(true[one]), as_2023_does(said[one]))["rouge1"].fmeasure for one in true
    ]
    return sum(values) / len(values)


@pytest.fixture
def old(captions: Path) -> Path:
    """A run without header and quotes, as before 2023: stems of 2017, none of them a stop word."""
    true = "chest xray show left pleural effus"
    rows = {"1": "chest xray", "2": "chest xray normal", "3": "chest chest chest xray", "4": true}
    (captions / "truth" / "old_captions.csv").write_text(
        "".join(f"{one}\t{true}\n" for one in rows), encoding="utf-8"
    )
    (captions / "old.csv").write_text(
        "".join(f"{one}\t{cell}\n" for one, cell in rows.items()), encoding="utf-8"
    )
    return captions


# --- what is printed ---


def test_json_has_the_shape_of_the_interface(radcap: Command, captions: Path) -> None:
    done = radcap(*SCORE, "--json")
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert shape(told) == REPORT_KEYS
    assert list(told) == list(REPORT_KEYS)
    assert (told["edition"], told["profile"], told["task"], told["n"]) == ("2025", "official", "captions", 3)
    assert list(map(shape, told["scores"])) == [SCORE_KEYS]
    assert list(map(shape, told["missing"])) == [MISSING_KEYS] * 5
    assert list(map(shape, told["issues"])) == [ISSUE_KEYS]
    assert list(told["habits"]) == [f"{name}{side}" for name in HABITS for side in ("", "_truth")]


def test_the_value_is_that_of_the_usual_library_in_full(radcap: Command, captions: Path) -> None:
    (score,) = json.loads(radcap(*SCORE, "--json").out)["scores"]
    assert (score["name"], score["n"]) == ("rouge1", 3)
    assert isclose(score["value"], rouge1_by_the_library(captions), rel_tol=1e-15)
    assert score["value"] == score_captions("run.csv", "truth")["rouge1"].value
    assert score["signature"].startswith("rouge1|edition:2025|profile:official|prep:P23|")


def test_what_the_edition_implies_and_is_absent_is_listed_and_fine(radcap: Command, captions: Path) -> None:
    done = radcap(*SCORE, "--json")
    told = json.loads(done.out)
    assert done.code == 0
    assert names(told) + names(told, "missing") == ["rouge1", *(name for name in SIX if name != "rouge1")]
    figures = ("relevance_platform", "factuality", "relevance", "overall", "overall_platform")
    assert told["aggregates"] == dict.fromkeys(figures)  # none has a value without its parts
    assert all("radcap.metric" in one["how"] for one in told["missing"])


def test_the_table_shows_both_profiles_with_six_digits(radcap: Command, captions: Path) -> None:
    done = radcap(*SCORE)
    assert done.err == ""
    value = f"{rouge1_by_the_library(captions):.6f}"
    assert row_of(done.out, "rouge1") == ["rouge1", value, "3", value, "3"]
    assert row_of(done.out, "score")[:2] == ["score", "official"]
    assert row_of(done.out, "overall") == ["overall", "-", "-", "-", "-"]
    assert row_of(done.out, "mean_of_six") == ["mean_of_six", "-", "-", "-", "-"]  # of the documented profile


def test_beside_the_scores_stands_what_they_hide(radcap: Command, captions: Path) -> None:
    out = radcap(*SCORE).out
    assert re.search(r"words per caption +6\.0 +9\.0\b", out)
    assert re.search(r"distinct captions +3 +3\b", out)
    assert re.search(r"images with the most frequent caption +33\.3% +33\.3%", out)
    assert re.search(r"vocabulary +14 +22\b", out)
    assert re.search(r"empty captions +0 +0\b", out)


def test_below_stand_what_is_absent_the_findings_and_the_signature(radcap: Command, captions: Path) -> None:
    *_, absent, finding, mark = radcap(*SCORE).out.strip().splitlines()
    assert absent == (
        "Not scored, for lack of what they need: similarity, bertscore, bleurt, umls_f1, alignscore. "
        "See radcap metrics status."
    )
    assert finding.startswith("run.csv:0:0: RUN103 run.csv is a plain file.")
    assert mark.startswith("rouge1|edition:2025|")
    assert mark.endswith(f"|radcap:{VERSION}")


@pytest.mark.parametrize("output", [(), ("--json",)], ids=["text", "json"])
def test_a_reader_who_leaves_early_does_no_harm(output: tuple[str, ...], captions: Path) -> None:
    line = " ".join([f"'{sys.executable}' -m radcap", *SCORE, *output, "| head -n 1; exit ${PIPESTATUS[0]}"])
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)  # noqa: S607
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


# --- what cannot be scored ---


@pytest.mark.parametrize("name", ["bertscore", "bleurt", "alignscore", "similarity", "umls_f1", "clipscore"])
def test_a_metric_that_is_named_and_absent_is_3_and_the_rest_is_printed(
    name: str, radcap: Command, captions: Path
) -> None:
    done = radcap(*SCORE, "--metrics", f"rouge1,{name}", "--json")
    told = json.loads(done.out)
    assert (done.code, done.err) == (3, "")
    assert (names(told), names(told, "missing")) == (["rouge1"], [name])
    done = radcap(*SCORE, "--metrics", f"{name},rouge1")
    assert done.code == 3
    assert row_of(done.out, "rouge1")[1] == f"{rouge1_by_the_library(captions):.6f}"
    needs = CAPTION_METRICS[name].needs
    assert f"{name}: not scored. A provider of {name} is missing. It needs {needs}. Install " in done.out


def test_a_figure_that_is_named_brings_its_parts(radcap: Command, captions: Path) -> None:
    done = radcap(*SCORE, "--metrics", "overall", "--json")
    told = json.loads(done.out)
    assert done.code == 3
    assert told["aggregates"] == {"overall": None}
    assert sorted([*names(told), *names(told, "missing")]) == sorted(SIX)


@pytest.mark.parametrize("output", [(), ("--json",)], ids=["text", "json"])
def test_the_lemmas_of_2022_need_a_model(
    output: tuple[str, ...], radcap: Command, captions: Path, monkeypatch: pytest.MonkeyPatch, no_java: None
) -> None:
    monkeypatch.delenv("RADCAP_SPACY_MODEL", raising=False)
    (captions / "run.csv").write_text("img_1|CT.\nimg_2|MRI.\nimg_3|Film.\n", encoding="utf-8")
    documented = (*SCORE, "--edition", "2022", "--profile", "documented")
    for arguments in (documented, (*documented, "--metrics", "rouge1")):  # nothing at all can be scored
        done = radcap(*arguments, *output)
        assert (done.code, done.err) == (3, "")
        assert "A spaCy model is missing. " in done.out
        assert "--spacy-model" in done.out
        assert not output or json.loads(done.out)["scores"] == []
    assert radcap(*SCORE, "--edition", "2022", *output).code == 0  # as the platform had it: no lemmas


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (("--spacy-model", "nowhere"), "nowhere does not hold config.cfg or meta.json"),
        (("--spacy-model", "truth"), "truth does not hold config.cfg or meta.json"),
    ],
)
def test_a_folder_that_is_no_spacy_model_is_said_so(
    more: tuple[str, ...], what: str, radcap: Command, captions: Path
) -> None:
    (captions / "run.csv").write_text("img_1|CT.\nimg_2|MRI.\nimg_3|Film.\n", encoding="utf-8")
    documented = ("--edition", "2022", "--profile", "documented", "--metrics", "rouge1")
    done = radcap(*SCORE, *documented, *more)
    assert done.code == 3
    assert what in done.out


def test_a_program_that_fails_is_listed_and_the_rest_is_scored(
    radcap: Command, captions: Path, no_java: None
) -> None:
    done = radcap(*SCORE, "--edition", "2024", "--json")
    told = json.loads(done.out)
    assert done.code == 0
    assert names(told) == ["rouge1", "bleu1", "bleu1_corpus", "cider"]
    (meteor,) = (one for one in told["missing"] if one["name"] == "meteor")
    assert "METEOR 1.5 failed under " in meteor["why"]
    assert "no heap" in meteor["why"]
    assert radcap(*SCORE, "--metrics", "meteor,rouge1").code == 3


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("rouge", "rougeL"), ("ROUGE1", "rouge1"), ("bleurd", "bleurt"), ("overal", "overall"), ("ALL", "all")],
)
def test_an_unknown_metric_is_2_with_the_nearest(
    name: str, nearest: str, radcap: Command, captions: Path
) -> None:
    for more in ((), ("--json",)):
        done = radcap(*SCORE, "--metrics", f"rouge1,{name}", *more)
        assert (done.code, done.out) == (2, "")
        assert f"There is no caption metric '{name}'." in done.err
        assert f"Nearest is '{nearest}'." in done.err


@pytest.mark.parametrize("given", ["", ",", " , "])
def test_no_metric_at_all_is_2(given: str, radcap: Command, captions: Path) -> None:
    done = radcap(*SCORE, "--metrics", given)
    assert (done.code, done.out) == (2, "")
    assert "No metric is named." in done.err


# --- runs with faults ---


REFUSED = "ID,Caption\nimg_1,CT\nimg_1,CT\nimg_9,MRI\n"


def test_a_refused_run_gets_its_issues_and_no_score(radcap: Command, captions: Path) -> None:
    (captions / "run.csv").write_text(REFUSED, encoding="utf-8")
    done = radcap(*SCORE)
    assert done.code == 1
    assert {line.split()[1] for line in done.out.splitlines()} == {"RUN103", "RUN205", "RUN206", "RUN207"}
    assert done.err == "run.csv cannot be scored under edition 2025.\n"  # nothing --fix could mend
    told = json.loads(radcap(*SCORE, "--json").out)
    assert (told["task"], told["n"], told["scores"], told["habits"]) == ("captions", 0, [], None)
    assert {one["code"] for one in told["issues"] if one["level"] == "error"} == {
        "RUN205",
        "RUN206",
        "RUN207",
    }


def test_a_run_that_can_be_mended_is_told_how(radcap: Command, captions: Path) -> None:
    (captions / "run.csv").write_text("id,caption\nimg_2,MRI\nimg_1,CT\nimg_3,X\n", encoding="utf-8")
    done = radcap(*SCORE, "--edition", "2026")
    assert done.code == 1
    assert "radcap validate --fix" in done.err
    assert radcap(*SCORE, "--edition", "radcap").code == 0


@pytest.mark.parametrize(("edition", "code"), [("2024", 0), ("2025", 1), ("2026", 1), ("radcap", 0)])
def test_an_empty_caption_is_scored_as_nothing_and_found(
    edition: str, code: int, radcap: Command, captions: Path
) -> None:
    (captions / "run.csv").write_text(
        "ID,Caption\nimg_1,\nimg_2,MRI of the brain.\nimg_3,\n", encoding="utf-8"
    )
    arguments = (*SCORE, "--edition", edition, "--metrics", "rouge1", "--json")
    done = radcap(*arguments)
    told = json.loads(done.out)
    assert done.code == code
    assert told["scores"][0]["value"] == 1 / 3
    assert [one["code"] for one in told["issues"]].count("RUN401") == 2
    assert told["habits"]["empty_captions"] == 2


def test_where_the_evaluator_of_2023_breaks_down_the_metric_is_missing(
    radcap: Command, captions: Path, no_java: None
) -> None:
    (captions / "truth" / "captions.csv").write_text("ID,Caption\na,.\nb,CT\n", encoding="utf-8")
    (captions / "run.csv").write_text("ID,Caption\na,-\nb,CT\n", encoding="utf-8")
    done = radcap(*SCORE, "--edition", "2023", "--json")
    told = json.loads(done.out)
    assert done.code == 1
    assert "TRU104" in [one["code"] for one in told["issues"]]
    assert names(told) == ["bleu1", "bleu1_corpus", "cider"]
    (rouge,) = (one for one in told["missing"] if one["name"] == "rouge1")
    assert rouge["why"].startswith("The official evaluator fails: Nothing is left of either caption of a ")
    done = radcap(*SCORE, "--edition", "2023", "--profile", "documented", "--metrics", "rouge1", "--json")
    assert (done.code, json.loads(done.out)["scores"][0]["value"]) == (0, 0.5)


WRONG_FILES = {
    "no truth": (("run.csv", "nowhere"), 1, "No truth at nowhere."),
    "no run": (("nowhere.csv", "truth"), 1, "nowhere.csv cannot be scored"),
    "a folder without captions": (("run.csv", "empty"), 1, "empty holds no captions.csv."),
    "two splits": (("run.csv", "splits"), 2, "It is open which one is meant."),
    "ids for a truth": (("run.csv", "ids.csv"), 1, "ids.csv holds no caption, only ids."),
    "concepts for a truth": (("run.csv", "truth/concepts.csv"), 1, "concepts.csv holds concepts, e.g."),
    "concepts for a run": (("a.csv", "truth"), 1, "a.csv holds concepts, e.g. C0040405."),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_FILES)
@pytest.mark.parametrize("output", [(), ("--json",)], ids=["text", "json"])
def test_the_wrong_file_is_refused_and_never_scored(
    name: str, output: tuple[str, ...], radcap: Command, captions: Path
) -> None:
    (captions / "empty").mkdir()
    (captions / "splits").mkdir()
    for split in ("valid", "test"):
        (captions / "splits" / f"{split}_captions.csv").write_text("a,b\n", encoding="utf-8")
    (captions / "ids.csv").write_text("ID,\nimg_1,\nimg_2,\nimg_3,\n", encoding="utf-8")
    files, code, why = WRONG_FILES[name]
    done = radcap("score", "captions", *files, *output)
    assert done.code == code
    assert why in done.err
    assert not re.search(r"rouge1|0\.\d", done.out)
    assert not output or code == 2 or json.loads(done.out)["scores"] == []


# --- options ---


@pytest.mark.parametrize("truth", ["truth", "truth/captions.csv", "valid"])
def test_the_truth_is_a_file_or_a_folder(truth: str, radcap: Command, captions: Path) -> None:
    (captions / "valid").mkdir()
    text = (captions / "truth" / "captions.csv").read_text("utf-8")
    (captions / "valid" / "valid_captions.csv").write_text(text, encoding="utf-8")
    done = radcap("score", "captions", "run.csv", truth)
    assert row_of(done.out, "rouge1")[1] == f"{rouge1_by_the_library(captions):.6f}"


def test_metrics_are_scored_in_the_order_they_are_named_each_once(radcap: Command, captions: Path) -> None:
    done = radcap(*SCORE, "--metrics", "rougeL, rouge1,bleu4 ,rougeL,,cider", "--json")
    told = json.loads(done.out)
    assert done.code == 0
    assert names(told) == ["rougeL", "rouge1", "bleu4", "bleu4_corpus", "cider"]
    assert told["aggregates"] == {}


def test_all_is_every_metric_that_is_ready(
    radcap: Command, captions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("radcap.metrics.providers.java.find_spec", lambda _: None)  # no METEOR
    told = json.loads(radcap(*SCORE, "--metrics", "all", "--json").out)
    own = ["rouge1", "rouge2", "rougeL", "bleu", "bleu1", "bleu2", "bleu3", "bleu4", "cider"]
    assert [name for name in names(told) if not name.endswith("_corpus")] == own
    assert told["missing"] == []
    done = radcap(*SCORE, "--metrics", "all,spice")
    assert done.code == 3
    assert "spice: not scored." in done.out


@pytest.mark.parametrize("profile", ["official", "documented"])
def test_the_chosen_profile_comes_first(profile: str, radcap: Command, captions: Path) -> None:
    assert row_of(radcap(*SCORE, "--profile", profile).out, "score")[1] == profile
    told = json.loads(radcap(*SCORE, "--profile", profile, "--json").out)
    assert told["profile"] == profile
    assert ("mean_of_six" in told["aggregates"]) == (profile == "documented")
    assert set(told["aggregates"]) <= set(AGGREGATES)


TRUNCATING = [0.1353352832366127, 0.27952792741962756, 0.38753858253732953, 1.0]  # as published


@pytest.mark.parametrize("edition", ["2017", "2018"])
def test_bleu_leaves_orders_without_a_match_out_as_its_nltk_did(
    edition: str, radcap: Command, old: Path
) -> None:
    for more in ((), ("--bleu-rule", "truncating")):
        told = json.loads(radcap(*OLD, edition, "--json", *more).out)
        assert isclose(told["scores"][0]["value"], sum(TRUNCATING) / 4, rel_tol=1e-15)
        assert "|nltk:truncating|" in told["scores"][0]["signature"]
    assert names(told) == ["bleu"] + ["secondary"] * (edition == "2018")


def test_bleu_by_the_rule_of_a_new_nltk_is_that_of_nltk(radcap: Command, old: Path) -> None:
    done = radcap(*OLD, "2017", "--bleu-rule", "vanishing", "--json", "--per-image", "values.csv")
    (score,) = json.loads(done.out)["scores"]
    assert "|nltk:vanishing|" in score["signature"]
    true = ["chest", "xray", "show", "left", "pleural", "effus"]
    said = ["chest xray", "chest xray normal", "chest chest chest xray", " ".join(true)]
    with pytest.warns(UserWarning, match="0 counts of"):
        expected = [float(sentence_bleu([true], one.split())) for one in said]  # pyright: ignore[reportArgumentType]
    with (old / "values.csv").open(encoding="utf-8") as file:
        found = [float(row["bleu"]) for row in csv.DictReader(file)]
    assert all(isclose(ours, theirs, rel_tol=1e-12) for ours, theirs in zip(found, expected, strict=True))
    assert isclose(score["value"], sum(expected) / 4, rel_tol=1e-12)


def test_bleu_that_divided_by_zero_has_no_score(radcap: Command, old: Path) -> None:
    for more, code in ((("--json",), 1), ((), 1)):
        done = radcap(*OLD, "2017", "--bleu-rule", "dividing", *more)
        assert done.code == code
        assert "NLTK divides by zero at 1: it has fewer than four tokens." in done.out
    told = json.loads(radcap(*OLD, "2018", "--bleu-rule", "dividing", "--json").out)
    assert told["scores"][0]["value"] == (0 + 0 + TRUNCATING[2] + 1) / 4  # the score of the row before


def test_an_unknown_rule_is_2(radcap: Command, old: Path) -> None:
    done = radcap(*OLD, "2017", "--bleu-rule", "rounding")
    assert (done.code, done.out) == (2, "")
    assert "rounding" in done.err


def test_strict_wants_the_packing_of_the_edition(radcap: Command, captions: Path) -> None:
    done = radcap(*SCORE, "--strict")
    assert done.code == 1
    assert done.out.startswith("run.csv:0:0: RUN103 ")
    with zipfile.ZipFile(captions / "run.zip", "w") as archive:
        archive.write(captions / "run.csv", "submission.csv")
    done = radcap("score", "captions", "run.zip", "truth", "--strict", "--json")
    assert (done.code, json.loads(done.out)["issues"]) == (0, [])


@pytest.mark.parametrize("name", ["values.parquet", "values.csv"])
def test_per_image_values_go_to_a_file_and_nowhere_else(name: str, radcap: Command, captions: Path) -> None:
    metrics = "rouge1,bleu1,cider,bleurt"  # the last is absent
    done = radcap(*SCORE, "--per-image", name, "--metrics", metrics, "--json")
    assert (done.code, done.err) == (3, "")
    assert "values" not in done.out
    if name.endswith(".csv"):
        with (captions / name).open(encoding="utf-8", newline="") as file:
            rows: list[dict[str, Any]] = list(csv.DictReader(file))
    else:
        rows = pq.read_table(captions / name).to_pylist()
    assert list(rows[0]) == ["id", "rouge1", "bleu1", "cider"]  # neither what is absent nor a corpus figure
    assert [row["id"] for row in rows] == ["img_1", "img_2", "img_3"]
    report = score_captions("run.csv", "truth", metrics=["rouge1", "bleu1", "cider"])
    for metric in ("rouge1", "bleu1", "cider"):
        assert [float(row[metric]) for row in rows] == list(report[metric].values)


@pytest.mark.parametrize("name", ["run.csv", "truth/captions.csv", "truth/../run.csv", "link.csv"])
def test_per_image_values_never_take_the_place_of_what_is_read(
    name: str, radcap: Command, captions: Path
) -> None:
    (captions / "link.csv").symlink_to("run.csv")
    before = {path: path.read_bytes() for path in captions.rglob("*.csv")}
    done = radcap(*SCORE, "--per-image", name)
    assert (done.code, done.out) == (2, "")
    assert "belongs to what is read" in done.err
    assert {path: path.read_bytes() for path in captions.rglob("*.csv")} == before


def test_corenlp_is_looked_for_where_it_is_said_to_be(
    radcap: Command, captions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spice = (*SCORE, "--metrics", "spice")
    monkeypatch.delenv("RADCAP_CORENLP", raising=False)
    assert "Stanford CoreNLP 3.6 is missing." in radcap(*spice).out
    assert "truth" in radcap(*spice, "--corenlp", "truth").out
    monkeypatch.setenv("RADCAP_CORENLP", "elsewhere")
    done = radcap(*spice)
    assert done.code == 3
    assert "elsewhere" in done.out
