"""Several runs on one truth: names, ranking, refusals, aggregates with a value for every image."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from metric_plug_ins import OF_LENGTHS

from radcap.core import InputError, Missing, Run, Task, UsageError
from radcap.formats import write_run
from radcap.metrics import RefusedRuns, RunComparison, aggregate, compare, score_captions
from radcap.metrics.aggregates import SIX
from radcap.stats import Procedure

if TYPE_CHECKING:
    from pathlib import Path

    from metric_plug_ins import PlugIns

QUICK = Procedure(resamples=50, permutations=200)
TRUTH = {
    "test_1": "axial CT of the liver with a mass",
    "test_2": "chest X-ray, left pleural effusion",
    "test_3": "sagittal MRI of the brain",
    "test_4": "ultrasound of the gallbladder",
}
GOOD = {
    "test_1": "axial CT of the liver",
    "test_2": "chest X-ray with left effusion",
    "test_3": "sagittal MRI of the brain",
    "test_4": "ultrasound of a kidney",
}
BAD = {
    "test_1": "CT of the lung",
    "test_2": "chest X-ray",
    "test_3": "MRI",
    "test_4": "ultrasound of the gallbladder wall",
}


def captions(runs: dict[str, dict[str, str]], truth: dict[str, str] = TRUTH, **more: object) -> RunComparison:
    chosen: dict[str, object] = {"metrics": ["rouge1", "rouge2"], "procedure": QUICK, **more}
    return compare(runs, truth, "captions", **chosen)  # type: ignore[arg-type]


def files(folder: Path, **runs: dict[str, str]) -> list[Path]:
    return [
        write_run(Run(Task.CAPTIONS, cells), folder / f"{name}.csv", edition="2025")
        for name, cells in runs.items()
    ]


# --- what is compared ---


def test_runs_stand_best_first_with_the_scores_they_have_alone() -> None:
    compared = captions({"bad": BAD, "good": GOOD})
    alone = {
        name: score_captions(run, TRUTH, metrics=["rouge1"])["rouge1"]
        for name, run in {"good": GOOD, "bad": BAD}.items()
    }
    primary = compared.comparison.primary
    assert primary.metric == "rouge1"
    assert [(one.run, one.value, one.n, one.rank) for one in primary.standings] == [
        ("good", alone["good"].value, 4, 1),
        ("bad", alone["bad"].value, 4, 2),
    ]
    assert primary.signature == alone["good"].signature
    assert compared.score("bad") == alone["bad"]
    assert [one.metric for one in compared.comparison.metrics] == ["rouge1", "rouge2"]
    assert (compared.task, compared.edition, compared.profile) == (Task.CAPTIONS, "2025", "official")
    assert compared.note == ""
    assert compared.ok


def test_files_are_compared_as_their_values_are(tmp_path: Path) -> None:
    (truth,) = files(tmp_path / "truth", captions=TRUTH)
    compared = compare(
        files(tmp_path, good=GOOD, bad=BAD), truth.parent, Task.CAPTIONS, metrics=["rouge1"], procedure=QUICK
    )
    assert list(compared.runs) == ["good", "bad"]
    assert compared.runs["good"].path == str(tmp_path / "good.csv")
    values = captions({"good": GOOD, "bad": BAD}, metrics=["rouge1"])
    assert compared.comparison == values.comparison
    assert values.runs["good"].path == ""


def test_concept_runs_are_ranked_by_f1() -> None:
    truth = {"a": "C0040405;C0817096", "b": "C1306645"}
    runs = {"half": {"a": "C0040405", "b": ""}, "whole": truth}
    compared = compare(runs, truth, "concepts", manual=truth, procedure=QUICK)
    assert compared.comparison.primary.metric == "f1"
    assert [one.run for one in compared.comparison.primary.standings] == ["whole", "half"]
    assert {"f1_manual", "precision", "recall"} <= {one.metric for one in compared.comparison.metrics}
    assert "f1_macro" not in {one.metric for one in compared.comparison.metrics}  # no value per image


def test_a_truth_folder_brings_the_manual_labels(tmp_path: Path) -> None:
    truth = Run(Task.CONCEPTS, {"test_1": "C0040405;C0817096"})
    for name in ("concepts.csv", "concepts_manual.csv"):
        write_run(truth, tmp_path / name, edition="2025")
    compared = compare({"same": truth}, tmp_path, "concepts", procedure=QUICK)
    assert "f1_manual" in {one.metric for one in compared.comparison.metrics}


def test_a_constant_score_is_not_compared() -> None:
    compared = captions({"good": GOOD, "bad": BAD}, edition="2018", metrics=None)
    assert [one.metric for one in compared.comparison.metrics] == ["bleu"]


def test_the_same_run_twice_cannot_be_told_apart() -> None:
    compared = captions({"one": GOOD, "other": GOOD})
    assert [(one.rank, one.letters) for one in compared.comparison.primary.standings] == [(1, "a"), (1, "a")]
    (pair,) = compared.comparison.primary.pairs
    assert (pair.difference, pair.p, pair.wins, pair.ties, pair.losses) == (0.0, 1.0, 0, 4, 0)


def test_one_run_has_a_standing_and_no_pair() -> None:
    compared = captions({"good": GOOD})
    assert len(compared.comparison.primary.standings) == 1
    assert compared.comparison.primary.pairs == ()


def test_one_image_is_enough() -> None:
    truth, runs = {"test_1": TRUTH["test_1"]}, {"good": GOOD, "bad": BAD}
    compared = captions({name: {"test_1": run["test_1"]} for name, run in runs.items()}, truth)
    (pair,) = compared.comparison.primary.pairs
    assert (pair.first, pair.p) == ("good", 1.0)
    assert compared.comparison.primary.standings[0].n == 1


# --- which metric ranks ---


def test_the_first_metric_named_ranks_unless_another_is_asked_for() -> None:
    runs = {"good": GOOD, "bad": BAD}
    assert captions(runs, metrics=["rouge2", "rouge1"]).comparison.primary.metric == "rouge2"
    by_other = captions(runs, rank_by="rouge2")
    assert [one.metric for one in by_other.comparison.metrics] == ["rouge2", "rouge1"]
    assert by_other.note == ""


def test_an_unknown_metric_to_rank_by_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        UsageError, match=r"no metric to rank by 'rouge3'\. Nearest is 'rouge\d'\. Known: rouge1, rouge2"
    ):
        captions({"good": GOOD}, rank_by="rouge3")


def test_a_note_says_why_another_metric_ranks_than_the_editions() -> None:
    compared = captions({"good": GOOD, "bad": BAD}, metrics=None)
    assert compared.comparison.primary.metric == "rouge1"
    assert compared.note == "overall could not be formed for every run, so rouge1 ranks."
    assert [one.name for one in compared.missing] == [
        *("similarity", "bertscore", "bleurt", "umls_f1", "alignscore")
    ]


def test_all_metrics_are_ranked_by_the_editions_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: object) -> None:
        raise Missing("Java", "It is not there.", "Install it.")

    for path in ("meteor.check_meteor", "spice.check_spice"):
        monkeypatch.setattr(f"radcap.metrics.providers.{path}", absent)
    compared = captions({"good": GOOD, "bad": BAD}, edition="2017", metrics=["all"])
    assert (compared.comparison.primary.metric, compared.note) == ("bleu", "")
    assert len(compared.comparison.metrics) == 9


def test_metrics_that_only_some_runs_have_are_not_compared() -> None:
    """2023 cannot score ROUGE where nothing is left of either caption."""
    truth = {**TRUTH, "test_4": "."}
    runs = {"good": GOOD, "blank": {**GOOD, "test_4": "-"}}
    compared = captions(runs, truth, edition="2023", metrics=["rouge1", "bleu1"])
    assert [one.metric for one in compared.comparison.metrics] == ["bleu1"]
    assert compared.note == "rouge1 could not be formed for every run, so bleu1 ranks."
    assert [one.name for one in compared.missing] == ["rouge1"]
    assert not compared.ok


def test_without_a_common_metric_the_reasons_are_told() -> None:
    with pytest.raises(
        Missing, match=r"A metric that every run has is missing\. bertscore: A provider of"
    ) as caught:
        captions({"good": GOOD, "bad": BAD}, metrics=["bertscore", "bleurt"])
    assert caught.value.how.count("'bertscore' under the entry point") == 1


# --- aggregates ---


def test_overall_ranks_with_a_value_for_every_image_once_its_parts_are_there(plug_ins: PlugIns) -> None:
    plug_ins(**OF_LENGTHS)
    compared = captions({"good": GOOD, "bad": BAD}, metrics=None)
    assert compared.comparison.primary.metric == "overall"
    assert compared.note == ""
    for name, run in {"good": GOOD, "bad": BAD}.items():
        report = score_captions(run, TRUTH)
        score = compared.score(name)
        assert score.value == report.aggregates["overall"]
        assert score.ids == tuple(TRUTH)
        rows = zip(*(report[metric].values for metric in SIX), strict=True)
        assert list(score.values) == [aggregate("overall", dict(zip(SIX, row, strict=True))) for row in rows]
        assert sum(score.values) / 4 == pytest.approx(score.value, rel=1e-12)
    mark = compared.comparison.primary.signature
    assert mark.startswith(f"overall|edition:2025|profile:official|parts:{'+'.join(SIX)}|truth:")
    assert {"relevance", "factuality", *SIX} <= {one.metric for one in compared.comparison.metrics}


def test_2025_documented_ranks_by_the_mean_of_six(plug_ins: PlugIns) -> None:
    plug_ins(**OF_LENGTHS)
    compared = captions({"good": GOOD, "bad": BAD}, metrics=None, profile="documented")
    assert compared.comparison.primary.metric == "mean_of_six"


# --- refusals ---


def test_faulty_runs_are_refused_together_each_with_its_issues(tmp_path: Path) -> None:
    other_split = {one.replace("test", "valid"): text for one, text in GOOD.items()}
    short = {one: GOOD[one] for one in list(GOOD)[:3]}
    runs = files(tmp_path, good=GOOD, other=other_split, short=short)
    with pytest.raises(RefusedRuns) as caught:
        compare(runs, TRUTH, "captions", metrics=["rouge1"])
    assert str(caught.value) == (
        f"2 of 3 runs cannot be scored: {runs[1]}, {runs[2]}. Nothing was compared. "
        "Mend them, or leave them out."
    )
    codes = {path: {issue.code for issue in error.issues} for path, error in caught.value.errors.items()}
    assert set(codes) == {str(runs[1]), str(runs[2])}
    assert codes[str(runs[1])] >= {"RUN207", "RUN213"}
    assert "RUN207" in codes[str(runs[2])]


def test_where_no_issue_is_an_error_the_reason_is_told(tmp_path: Path) -> None:
    runs = files(tmp_path, good=GOOD, concepts=dict.fromkeys(GOOD, "C0040405"))
    with pytest.raises(
        RefusedRuns, match=r"1 of 2 runs cannot be scored: .* holds concepts, e\.g\. C0040405\."
    ) as caught:
        compare(runs, TRUTH, "captions", metrics=["rouge1"])
    assert [issue.code for issue in caught.value.errors[str(runs[1])].issues] == ["RUN103"]  # plain, no zip


def test_faulty_values_are_refused_by_name_and_with_the_reason() -> None:
    with pytest.raises(RefusedRuns, match=r"1 of 2 runs cannot .*: short\. Found 1 image not in the run"):
        captions({"good": GOOD, "short": {one: GOOD[one] for one in list(GOOD)[:3]}})


def test_a_faulty_truth_is_no_fault_of_the_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No truth at") as caught:
        compare({"good": GOOD, "bad": BAD}, tmp_path / "nowhere", "captions")
    assert not isinstance(caught.value, RefusedRuns)


def test_no_run_is_refused() -> None:
    with pytest.raises(UsageError, match="There is no run to compare"):
        captions({})


def test_an_unknown_task_edition_or_year_without_captions_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no task 'caption'\. Nearest is 'captions'"):
        compare({"good": GOOD}, TRUTH, "caption")
    with pytest.raises(UsageError, match=r"no edition 'rocov'"):
        captions({"good": GOOD}, edition="rocov")
    with pytest.raises(UsageError, match="Edition 2019 had no captions subtask"):
        captions({"good": GOOD}, edition="2019")


def test_what_belongs_to_the_other_task_is_refused() -> None:
    with pytest.raises(UsageError, match="The metrics rouge1 are of captions, and concepts are compared"):
        compare({"a": {"x": "C1"}}, {"x": "C1"}, "concepts", metrics=["rouge1"])
    with pytest.raises(UsageError, match="Manual labels are of concepts, and captions are compared"):
        captions({"good": GOOD}, manual=TRUTH)


# --- as JSON ---


def test_a_comparison_as_json() -> None:
    compared = captions({"good": GOOD, "bad": {**BAD, "test_3": ""}}, edition="2024")
    told = json.loads(json.dumps(compared.to_json()))
    assert list(told) == [
        *("task", "edition", "profile", "n", "ranked_by", "note", "procedure", "metrics"),
        *("groups", "habits", "missing", "issues"),
    ]
    assert (told["task"], told["edition"], told["n"], told["ranked_by"]) == ("captions", "2024", 4, "rouge1")
    assert told["habits"]["good"]["distinct_captions"] == 4
    assert told["procedure"]["permutations"] == 200
    assert [issue["code"] for issue in told["issues"]["bad"]] == ["RUN401"]
    assert told["issues"]["good"] == []


def test_one_metric_may_be_named_by_a_plain_string() -> None:
    assert captions({"good": GOOD, "bad": BAD}, metrics="rouge1") == captions(
        {"good": GOOD, "bad": BAD}, metrics=["rouge1"]
    )
    assert [score.name for score in score_captions(GOOD, TRUTH, metrics="rouge1").scores] == ["rouge1"]


def test_the_truth_is_prepared_once_for_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from radcap.metrics import caption_texts

    prepared: list[list[str]] = []

    def note(captions: list[str], *how: object) -> list[str]:
        prepared.append(captions)
        return list(captions)

    monkeypatch.setattr(caption_texts, "prepare", note)
    captions({"good": GOOD, "bad": BAD, "again": BAD}, metrics=["rouge1", "bleu"])
    assert [one for one in prepared if one == list(TRUTH.values())] == [list(TRUTH.values())] * 2  # P23, RAW
    assert len(prepared) == 2 + 3 * 2
