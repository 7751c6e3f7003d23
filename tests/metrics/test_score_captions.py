"""Caption runs from files and values: what is read, refused, scored, listed and signed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from radcap.core import VERSION, InputError, Level, Run, Score, Task, UsageError
from radcap.formats import write_run
from radcap.metrics import (
    CaptionScorer,
    LoadedCaptions,
    Resources,
    ScoreReport,
    load_captions,
    score_captions,
)
from radcap.metrics.loading import fingerprint
from radcap.metrics.providers import java, meteor

if TYPE_CHECKING:
    from pathlib import Path

EDITIONS = ["2017", "2018", "2021", "2022", "2023", "2024", "2025", "2026", "rocov2", "radcap"]
TRUTH = {
    "test_2": "CT scan of the abdomen, showing a 3.5-cm mass (arrow).",
    "test_1": "Chest X-ray: left pleural effusion",
    "test_3": "Axial T2-weighted MRI of the brain",
}
SAID = {
    "test_2": "Axial CT scan showing a large mass of the liver.",
    "test_1": "Chest X-ray with effusion on the left",
    "test_3": "MRI of the knee",
}
METRICS = ["rouge1", "bleu"]


def captions(cells: dict[str, str]) -> Run:
    return Run(Task.CAPTIONS, cells)


def files(folder: Path, edition: str, said: dict[str, str] = SAID) -> tuple[Path, Path]:
    """A run file and a truth folder in the dialect of an edition."""
    truth = write_run(captions(TRUTH), folder / "truth" / "captions.csv", edition=edition)
    return write_run(captions(said), folder / "run.csv", edition=edition), truth.parent


def values(report: ScoreReport) -> dict[str, tuple[float, ...]]:
    return {score.name: score.values for score in report.scores}


# --- where runs and truths come from ---


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_file_in_the_dialect_of_an_edition_scores_as_the_values_in_it(edition: str, tmp_path: Path) -> None:
    run, truth = files(tmp_path, edition)
    expected = values(score_captions(SAID, TRUTH, edition=edition, metrics=METRICS))
    assert values(score_captions(run, truth, edition=edition, metrics=METRICS)) == expected
    assert (
        values(score_captions(str(run), truth / "captions.csv", edition=edition, metrics=METRICS)) == expected
    )


def test_a_zip_scores_as_the_file_in_it(tmp_path: Path) -> None:
    run, truth = files(tmp_path, "2026")
    packed = write_run(captions(SAID), tmp_path / "submission.zip", edition="2026")
    plain, zipped = (score_captions(one, truth, edition="2026", metrics=METRICS) for one in (run, packed))
    assert values(plain) == values(zipped)


def test_the_file_of_a_split_serves_as_truth(tmp_path: Path) -> None:
    run, truth = files(tmp_path, "2025")
    (truth / "captions.csv").rename(truth / "test_captions.csv")
    assert score_captions(run, truth, metrics=METRICS).n == 3


def test_runs_are_taken_as_values_too() -> None:
    as_runs = score_captions(captions(SAID), captions(TRUTH), metrics=METRICS)
    assert values(as_runs) == values(score_captions(SAID, TRUTH, metrics=METRICS))


def test_a_row_without_a_caption_is_an_empty_caption() -> None:
    report = score_captions({**SAID, "test_1": None}, TRUTH, metrics=["rouge1"])
    assert report["rouge1"].values[1] == 0.0
    (issue,) = report.issues
    assert (issue.code, issue.line, issue.column) == ("RUN401", 0, 0)  # a value has no lines
    assert issue.message.startswith("The caption of test_1 is empty.")


# --- what is refused ---


def test_a_run_file_that_the_edition_refuses_is_refused_with_all_its_issues(tmp_path: Path) -> None:
    run, truth = files(tmp_path, "2025", {"test_2": "x", "test_9": "y", "test_8": "z"})
    with pytest.raises(InputError, match=r"run\.csv cannot be scored under edition 2025") as caught:
        score_captions(run, truth, metrics=METRICS)
    assert {issue.code for issue in caught.value.issues} >= {"RUN205", "RUN207"}
    assert caught.value.path == str(run)


def test_a_refusal_names_where_the_ids_come_from(tmp_path: Path) -> None:
    run, truth = files(tmp_path, "2025", {**SAID, "test_9": "y"})
    for given, name in ((truth, "captions.csv"), (TRUTH, "the truth")):
        with pytest.raises(InputError) as caught:
            score_captions(run, given, metrics=METRICS)
        (issue,) = [issue for issue in caught.value.issues if issue.code == "RUN205"]
        assert issue.hint == f"Use the ids of {name}."


def test_strict_packing_is_refused_only_when_asked_for(tmp_path: Path) -> None:
    run, truth = files(tmp_path, "2025")  # plain, where the edition takes a zip
    assert [issue.code for issue in load_captions(run, truth).issues] == ["RUN103"]
    with pytest.raises(InputError, match="cannot be scored"):
        load_captions(run, truth, strict=True)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"test_2": "x", "test_1": "y"}, r"Found 1 image not in the run, e\.g\. test_3\."),
        ({**SAID, "x": "y"}, r"Found 1 image in the run and not in the truth, e\.g\. x\."),
    ],
)
def test_values_must_name_the_images_of_the_truth(said: dict[str, str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        score_captions(said, TRUTH, metrics=METRICS)


def test_an_empty_truth_is_refused() -> None:
    with pytest.raises(InputError, match="The truth names no image"):
        score_captions({}, {}, metrics=METRICS)


def test_concepts_are_no_captions(tmp_path: Path) -> None:
    cuis = {"test_2": "C0040405;C0817096", "test_1": "C0024485", "test_3": ""}
    with pytest.raises(InputError, match=r"The run holds concepts, e\.g\. C0040405;C0817096\."):
        score_captions(cuis, TRUTH, metrics=METRICS)
    with pytest.raises(InputError, match=r"The truth holds concepts"):
        score_captions(SAID, cuis, metrics=METRICS)
    with pytest.raises(InputError, match="holds concepts, and captions are wanted"):
        score_captions(Run(Task.CONCEPTS, SAID), TRUTH, metrics=METRICS)
    run, truth = files(tmp_path, "2023", {one: cui or "C1" for one, cui in cuis.items()})
    with pytest.raises(InputError, match=r"run\.csv holds concepts") as caught:
        score_captions(run, truth, edition="2023", metrics=METRICS)
    assert caught.value.path == str(run)
    with pytest.raises(InputError, match=r"run\.csv holds concepts") as caught:
        score_captions(SAID, run, edition="2023", metrics=METRICS)  # the same file, given as the truth
    assert caught.value.path == str(run)


def test_a_truth_file_of_ids_alone_holds_no_caption(tmp_path: Path) -> None:
    run, truth = files(tmp_path, "2025")
    (truth / "captions.csv").write_text("ID,Caption\ntest_2,\ntest_1,\ntest_3,\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"captions\.csv holds no caption, only ids"):
        score_captions(run, truth, metrics=METRICS)


@pytest.mark.parametrize("edition", ["2019", "2020"])
def test_a_year_without_caption_subtask_is_refused(edition: str) -> None:
    with pytest.raises(UsageError, match=f"Edition {edition} had no captions subtask"):
        score_captions(SAID, TRUTH, edition=edition)


def test_a_loaded_run_of_such_a_year_cannot_be_scored_either() -> None:
    loaded = LoadedCaptions("2019", captions(SAID), captions(TRUTH))
    with pytest.raises(UsageError, match="Edition 2019 had no caption subtask"):
        CaptionScorer(loaded)


def test_an_unknown_edition_or_profile_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no edition 'rocov'\. Nearest is 'rocov2'"):
        score_captions("nowhere.csv", "nowhere", edition="rocov")  # before any file is looked for
    with pytest.raises(UsageError, match=r"no profile 'offical'\. Nearest is 'official'"):
        score_captions(SAID, TRUTH, profile="offical")


# --- what a report holds ---


def test_values_stand_in_the_order_of_the_truth_and_the_mean_is_summed_in_that_of_the_run() -> None:
    truth = {"a": "x", "b": "x", "c": "x"}
    said = {"c": "x" + " y" * 9, "b": "x" + " y" * 6, "a": "x" + " y" * 2}  # values that do not add up evenly
    score = score_captions(said, truth, metrics=["rouge1"])["rouge1"]
    assert score.ids == ("a", "b", "c")
    a, b, c = score.values
    assert (a, b, c) == pytest.approx((2 / 4, 2 / 8, 2 / 11))
    assert score.value == (c + b + a) / 3


def test_the_order_of_addition_can_be_seen_in_the_last_digit() -> None:
    ids = [str(place) for place in range(40)]
    truth = dict.fromkeys(ids, "left lung mass of the apex")
    said = {one: "left lung" + " x" * (place // 6) for place, one in enumerate(ids)}
    forward = score_captions(said, truth, metrics=["rouge1"])["rouge1"]
    backward = score_captions(dict(reversed(said.items())), truth, metrics=["rouge1"])["rouge1"]
    assert forward.values == backward.values
    total = 0.0
    for value in reversed(forward.values):
        total += value
    assert backward.value == total / 40 != forward.value


@pytest.mark.parametrize(
    ("edition", "metric", "middle"),
    [
        ("2017", "bleu", "profile:official|prep:P17|empty:prepared|nltk:truncating"),
        ("2022", "rouge1", "profile:official|prep:P22c|empty:prepared"),
        ("2024", "bleu1", "profile:official|prep:P23|empty:fails"),
        ("2025", "rouge1", "profile:official|prep:P23|empty:written"),
        ("radcap", "cider", "profile:official|prep:P23|empty:written"),
    ],
)
def test_a_signature_names_edition_profile_preparation_rules_truth_and_version(
    edition: str, metric: str, middle: str
) -> None:
    score = score_captions(SAID, TRUTH, edition=edition, metrics=[metric])[metric]
    mark = fingerprint(captions(TRUTH))
    assert score.signature == f"{metric}|edition:{edition}|{middle}|truth:{mark}|radcap:{VERSION}"
    assert score.truth == mark


def test_the_truth_is_told_apart_by_its_labels_not_by_the_order_of_its_rows() -> None:
    def mark(truth: dict[str, str]) -> str:
        return score_captions(SAID, truth, metrics=["rouge1"])["rouge1"].truth

    assert mark(dict(reversed(TRUTH.items()))) == mark(TRUTH)
    assert mark({**TRUTH, "test_3": "Axial T2-weighted MRI of the brain."}) != mark(TRUTH)


def test_a_report_as_json() -> None:
    report = score_captions(SAID, TRUTH, metrics=["rouge1", "factuality"])
    told = json.loads(json.dumps(report.to_json()))
    assert list(told) == [
        *("edition", "profile", "task", "n", "scores", "aggregates", "missing", "issues", "habits")
    ]
    assert (told["edition"], told["profile"], told["task"], told["n"]) == ("2025", "official", "captions", 3)
    assert [(one["name"], one["value"]) for one in told["scores"]] == [("rouge1", report["rouge1"].value)]
    assert told["aggregates"] == {"factuality": None}
    assert [one["name"] for one in told["missing"]] == ["umls_f1", "alignscore"]
    assert told["habits"]["distinct_captions"] == 3


def test_both_profiles_are_scored_from_what_was_read_and_measured_once() -> None:
    scorer = CaptionScorer(load_captions(SAID, TRUTH, edition="2025"))
    official, documented = (scorer.report(profile, ["rouge1"]) for profile in ("official", "documented"))
    assert official["rouge1"].value == documented["rouge1"].value
    assert (official.profile, documented.profile) == ("official", "documented")


# --- what Java and spaCy are needed for ---


def test_a_metric_whose_program_fails_is_listed_and_the_others_are_scored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise java.JavaFailed("METEOR 1.5", tmp_path / "java", "out of memory")

    monkeypatch.setattr(meteor, "meteor_scores", fail)
    report = score_captions(SAID, TRUTH, edition="2023", metrics=["meteor", "rouge1"])
    assert [score.name for score in report.scores] == ["rouge1"]
    (missing,) = report.missing
    assert missing.name == "meteor"
    assert "METEOR 1.5 failed under" in missing.why
    assert "out of memory" in missing.why
    assert missing.absent


def test_meteor_is_given_prepared_captions_and_keeps_its_own_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[list[str], list[str]]] = []

    def answer(candidates: list[str], references: list[str], *, progress: object) -> meteor.MeteorScores:
        asked.append((candidates, references))
        assert callable(progress)
        progress(3)
        return meteor.MeteorScores((0.1, 0.2, 0.3), 0.25)

    monkeypatch.setattr(meteor, "meteor_scores", answer)
    told: list[tuple[str, int]] = []
    resources = Resources(progress=lambda name, done: told.append((name, done)))
    report = score_captions(SAID, TRUTH, edition="2023", metrics=["meteor"], resources=resources)
    assert asked[0][0][0] == "axial ct scan showing a large mass of the liver"
    assert report["meteor"].values == (0.1, 0.2, 0.3)
    corpus = report["meteor_corpus"]
    assert (corpus.value, corpus.n, corpus.values) == (0.25, 3, ())
    assert f"|longest:{meteor.LONGEST}|" in report["meteor"].signature
    assert told == [("meteor", 3)]


def test_2022_documented_without_a_spacy_model_lists_every_metric_with_the_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RADCAP_SPACY_MODEL", raising=False)
    report = score_captions(SAID, TRUTH, edition="2022", profile="documented", metrics=["bleu", "rouge1"])
    assert report.scores == ()
    assert [one.name for one in report.missing] == ["bleu", "rouge1"]
    for one in report.missing:
        assert one.why == "A spaCy model is missing. The overview of 2022 names en_core_web_lg."
        assert "--spacy-model" in one.how
        assert one.absent


def test_2022_documented_lemmatises_and_names_the_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class StandIn:
        name = "en_stand_in-1.0"

        def __call__(self, texts: list[list[str]]) -> list[list[str]]:
            return [[word.removesuffix("s") for word in words] for words in texts]

    asked: list[object] = []

    def load(folder: object) -> StandIn:
        asked.append(folder)
        return StandIn()

    monkeypatch.setattr("radcap.metrics.providers.lemmas.load_lemmatiser", load)
    report = score_captions(
        {"a": "The lungs"},
        {"a": "a lung"},
        edition="2022",
        profile="documented",
        metrics=["bleu", "rouge1"],
        resources=Resources(spacy_model=tmp_path),
    )
    assert [score.value for score in report.scores] == [1.0, 1.0]
    assert asked == [tmp_path]  # once, whatever is measured
    assert "|prep:P22|empty:prepared|nltk:truncating|lemmas:en_stand_in-1.0|" in report["bleu"].signature
    assert score_captions({"a": "The lungs"}, {"a": "a lung"}, edition="2022", metrics=["rouge1"])[
        "rouge1"
    ].values == (0.0,)  # what the platform ran applies no lemma


def test_a_run_is_fine_unless_something_in_it_is_an_error() -> None:
    assert score_captions(SAID, TRUTH, metrics=["rouge1"]).ok
    report = score_captions({**SAID, "test_1": ""}, TRUTH, edition="2024", metrics=["rouge1"])
    assert [issue.level for issue in report.issues] == [Level.WARNING]
    assert report.ok


def test_a_score_is_asked_for_by_name() -> None:
    report = score_captions(SAID, TRUTH, metrics=["rouge1", "rouge2"])
    assert isinstance(report["rouge2"], Score)
    with pytest.raises(UsageError, match=r"no score 'rouge3'\. Nearest is 'rouge"):
        report["rouge3"]
