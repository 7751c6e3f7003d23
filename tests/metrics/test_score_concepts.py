"""What can be scored (files, folders, values), what is refused, and what a report holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from radcap.core import VERSION, InputError, Level, Run, Task, UsageError
from radcap.metrics import EDITIONS, NotScored, ScoreReport, load_concepts, score_concepts, score_loaded
from radcap.metrics.concept_habits import ConceptHabits, concept_habits
from radcap.metrics.concept_sets import SetPair
from radcap.metrics.loading import fingerprint

if TYPE_CHECKING:
    from writer import Writer

    from radcap.metrics import Labels

CT, CHEST = "C0040405", "C0817096"
TRUTH = {"a": f"{CT};C1", "b": "C2"}
SAID = {"a": CT, "b": "C2"}
VALUE = (2 / 3 + 1.0) / 2


# --- what is taken ---


def test_paths_strings_runs_and_mappings_are_taken_alike(write: Writer) -> None:
    run, folder = write("2025", TRUTH, SAID)
    truths: list[Labels] = [
        folder,
        str(folder),
        folder / "concepts.csv",
        TRUTH,
        Run(Task.CONCEPTS, TRUTH),
        {"a": [CT, "C1"], "b": {"C2"}},
    ]
    runs: list[Labels] = [run, str(run), SAID, Run(Task.CONCEPTS, SAID), {"a": (CT,), "b": frozenset({"C2"})}]
    values = {score_concepts(one, truth)["f1"].value for one in runs for truth in truths}
    assert values == {VALUE}


def test_an_empty_collection_is_an_empty_cell_and_none_is_an_id_alone() -> None:
    truth = {"a": "", "b": ""}
    assert score_concepts({"a": [], "b": None}, truth, edition="2025")["f1"].values == (1.0, 0.0)


@pytest.mark.parametrize("name", ["concepts_manual.csv", "test_concepts_manual.csv"])
def test_a_truth_folder_brings_its_manual_labels(name: str, write: Writer) -> None:
    run, folder = write("2025", TRUTH, SAID, manual={"a": f"{CT};{CHEST}", "b": ""})
    (folder / "concepts_manual.csv").rename(folder / name)
    assert score_concepts(run, folder)["f1_manual"].value == 2 / 3


def test_manual_labels_given_apart_go_before_those_of_the_folder(write: Writer) -> None:
    run, folder = write("2025", TRUTH, SAID, manual={"a": CHEST, "b": ""})
    assert score_concepts(run, folder, manual={"a": CT, "b": ""})["f1_manual"].value == 1.0
    assert score_concepts(run, folder, manual=folder / "concepts_manual.csv")["f1_manual"].value == 0.0


def test_both_profiles_are_scored_from_one_reading(write: Writer) -> None:
    run, folder = write("2025", {"a": "C1", "b": ""}, {"a": "C1;", "b": ""})
    loaded = load_concepts(run, folder, edition="2025")
    assert score_loaded(loaded)["f1"].values == (2 / 3, 1.0)
    assert score_loaded(loaded, profile="documented")["f1"].values == (1.0,)


def test_the_default_is_the_official_profile_of_2025() -> None:
    report = score_concepts(SAID, TRUTH)
    assert (report.edition, report.profile, report.task) == ("2025", "official", Task.CONCEPTS)


# --- what is refused ---


def test_an_unknown_edition_is_refused_before_any_file_is_read() -> None:
    with pytest.raises(UsageError, match="There is no edition '2016'"):
        score_concepts("no-such-run.csv", "no-such-truth", edition="2016")


def test_an_unknown_profile_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        UsageError, match=r"no profile 'offical'\. Nearest is 'official'\. Known: official, doc"
    ):
        score_concepts(SAID, TRUTH, profile="offical")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"a": CT}, r"Found 1 image not in the run, e\.g\. b\. "),
        ({}, r"Found 2 images not in the run, e\.g\. a, b\. "),
        ({**SAID, "z": CT}, r"Found 1 image in the run and not in the truth, e\.g\. z\. "),
    ],
    ids=["one missing", "all missing", "one too many"],
)
def test_values_with_other_ids_than_the_truth_are_refused(said: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        score_concepts(said, TRUTH)


def test_at_most_five_ids_are_named_in_a_refusal() -> None:
    truth = {f"i{n}": CT for n in range(9)}
    with pytest.raises(InputError, match=r"Found 9 images not in the run, e\.g\. i0, i1, i2, i3, i4\. "):
        score_concepts({}, truth)


def test_a_run_file_that_the_edition_refuses_gets_no_score_and_all_its_issues(write: Writer) -> None:
    run, folder = write("2025", TRUTH, {"z": CT, "a": f"{CT};{CT}", "b": "C2"})
    with pytest.raises(InputError, match=r"run\.csv cannot be scored under edition 2025\.") as caught:
        score_concepts(run, folder, edition="2025")
    errors = {issue.code for issue in caught.value.issues if issue.level is Level.ERROR}
    assert errors == {"RUN205", "RUN302"}


def test_wrong_packing_is_refused_only_when_asked(write: Writer) -> None:
    run, folder = write("2025", TRUTH, SAID)
    assert {issue.code: issue.level for issue in load_concepts(run, folder).issues}["RUN103"] is Level.INFO
    with pytest.raises(InputError) as caught:
        load_concepts(run, folder, strict=True)
    assert [issue.code for issue in caught.value.issues if issue.level is Level.ERROR] == ["RUN103"]


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no concepts\.csv\. Nothing can be scored\."):
        score_concepts(SAID, tmp_path)


def test_a_truth_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="No truth at no-such-folder"):
        score_concepts(SAID, Path("no-such-folder"))


# --- restricted to a set ---


def test_cuis_manual_restricts_every_score_to_the_set_of_the_edition() -> None:
    manual = {"a": f"{CT};{CHEST};C1", "b": "C2"}
    report = score_concepts(SAID, TRUTH, manual=manual, cuis="manual")
    assert [score.name for score in report.scores] == ["f1", "precision", "recall", "f1_micro", "f1_macro"]
    assert {score.n for score in report.scores} == {1}
    assert report["f1"].value == 2 / 3
    assert report["recall"].value == 0.5
    assert all("|cuis:manual15|" in score.signature for score in report.scores)


def test_cuis_takes_any_named_set_and_without_manual_labels_the_truth_itself() -> None:
    report = score_concepts(SAID, TRUTH, cuis="manual14")
    assert (report["f1"].value, report["f1"].ids) == (1.0, ("a",))
    assert "|cuis:manual14|" in report["f1"].signature


def test_cuis_with_the_switch_one_counts_the_images_without_allowed_truth() -> None:
    report = score_concepts(SAID, TRUTH, profile="documented", cuis="manual14", empty_truth="one")
    assert report["f1"].values == (1.0, 1.0)


@pytest.mark.parametrize(
    ("edition", "profile"), [("2017", "official"), ("2018", "official"), ("2022", "official")]
)
def test_an_edition_without_a_manual_set_cannot_be_restricted_to_it(edition: str, profile: str) -> None:
    with pytest.raises(UsageError, match=f"Edition {edition} has no manual set in its {profile} profile"):
        score_concepts(SAID, TRUTH, edition=edition, profile=profile, cuis="manual")


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(UsageError, match="There is no CUI set 'manual16'"):
        score_concepts(SAID, TRUTH, cuis="manual16")


@pytest.mark.parametrize(
    ("manual", "code"),
    [({"a": "C1", "b": "C2"}, "TRU102"), ({"a": CT}, "TRU101")],
    ids=["no allowed concept in the labels", "an image without labels"],
)
def test_a_restricted_score_that_cannot_be_formed_is_refused_with_the_reason(
    manual: dict[str, str], code: str
) -> None:
    with pytest.raises(InputError, match="No score on manual15 can be formed") as caught:
        score_concepts(SAID, TRUTH, manual=manual, cuis="manual")
    assert [issue.code for issue in caught.value.issues] == [code]


# --- the report ---


def test_primary_comes_first_then_secondary_then_the_extras() -> None:
    report = score_concepts(SAID, TRUTH, manual={"a": CT, "b": ""})
    names = [score.name for score in report.scores]
    assert names == ["f1", "f1_manual", "precision", "recall", "f1_micro", "f1_macro"]


@pytest.mark.parametrize(
    ("edition", "profile", "preparation", "empty"),
    [
        ("2017", "official", "upper+parts1", "skip"),
        ("2022", "official", "upper+strip+blank1+parts1", "one"),
        ("2025", "official", "upper+strip+blank1+parts1+skipID", "one"),
        ("2025", "documented", "upper+strip", "skip"),
        ("radcap", "official", "upper+strip", "one"),
    ],
)
def test_a_signature_names_edition_profile_set_preparation_and_version(
    edition: str, profile: str, preparation: str, empty: str
) -> None:
    score = score_concepts(SAID, TRUTH, edition=edition, profile=profile)["f1"]
    truth = fingerprint(Run(Task.CONCEPTS, TRUTH))
    assert score.signature == (
        f"f1|edition:{edition}|profile:{profile}|cuis:all|prep:{preparation}|empty:{empty}|truth:{truth}"
        f"|radcap:{VERSION}"
    )


@pytest.mark.parametrize("edition", EDITIONS)
def test_scores_of_two_editions_never_compare(edition: str) -> None:
    one = score_concepts(SAID, TRUTH, edition=edition)["f1"]
    assert one.difference(score_concepts(TRUTH, TRUTH, edition=edition)["f1"]) == one.value - 1.0
    other = "2019" if edition != "2019" else "2020"
    with pytest.raises(UsageError):
        one.difference(score_concepts(TRUTH, TRUTH, edition=other)["f1"])


def test_issues_of_the_run_and_of_the_truth_stand_in_one_list(write: Writer) -> None:
    run, folder = write("2025", {"a": CT}, {"a": CT.lower()}, manual={"a": "C1"})
    codes = [issue.code for issue in score_concepts(run, folder).issues]
    assert codes[-1] == "TRU102"
    assert "RUN305" in codes


def test_a_report_as_json_has_the_keys_of_the_interface() -> None:
    report = ScoreReport(
        "2025", "official", Task.CONCEPTS, 0, missing=(NotScored("f1_manual", "why", "how"),)
    )
    assert report.to_json() == {
        "edition": "2025",
        "profile": "official",
        "task": "concepts",
        "n": 0,
        "scores": [],
        "aggregates": {},
        "missing": [{"name": "f1_manual", "why": "why", "how": "how"}],
        "issues": [],
        "habits": None,
    }


def test_a_report_tells_which_scores_it_has() -> None:
    report = score_concepts({"a": "C1"}, {"a": "C1"})
    assert "f1" in report
    assert "f1_manual" not in report


def test_a_score_the_report_does_not_have_is_refused_with_those_it_has() -> None:
    report = score_concepts(SAID, TRUTH)
    with pytest.raises(UsageError, match=r"There is no score 'f2'\. Nearest is 'f1'\. Known: f1, precision"):
        _ = report["f2"]


# --- what a score hides ---


def test_habits_count_concepts_per_image_distinct_ones_and_images_without_any() -> None:
    pairs = [
        SetPair("a", frozenset({"C1", "C2"}), frozenset({"C1", ""})),  # an empty part names no concept
        SetPair("b", frozenset({""}), frozenset()),
        SetPair("c", frozenset({"C1"}), frozenset({"C1", "C3", "C4"})),
        SetPair("d", frozenset({"C5"}), frozenset({""})),
    ]
    habits = concept_habits(pairs)
    assert habits == ConceptHabits(
        cuis_per_image=1.0,
        cuis_per_image_truth=1.0,
        distinct_cuis=3,
        distinct_cuis_truth=3,
        empty_predictions=2,
        empty_truths=1,
    )
    assert habits.to_json()["distinct_cuis"] == 3


def test_habits_stand_beside_every_concept_score() -> None:
    report = score_concepts({"a": "C1;C2;C3", "b": ""}, TRUTH, edition="2025")
    assert isinstance(report.habits, ConceptHabits)
    assert (report.habits.cuis_per_image, report.habits.empty_predictions) == (1.5, 1)
    assert report.to_json()["habits"] == report.habits.to_json()
