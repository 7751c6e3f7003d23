"""Concept F1 by the rules of each edition: section 3 of the specification, sentence by sentence.

Everything goes from files to numbers, except where the check of 2026 refuses the file before scoring;
there the same cells are scored as values.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from radcap.core import InputError, Level, UsageError, mean_in_order
from radcap.metrics import score_concepts
from radcap.metrics.concept_habits import ConceptHabits

if TYPE_CHECKING:
    from writer import Writer

    from radcap.metrics import ScoreReport

OLD = ("2017", "2018")
NEW = ("2022", "2023", "2024", "2025", "2026")
TRAPPED = ("2023", "2024", "2025", "2026")
SKIPPED = None
ALONE = None  # a row that is an id and nothing else

# truth cell, cell of the run, 2017/18, 2022-26 official, documented: all of the table
TABLE = [
    ("C1;C2", "C1", 2 / 3, 2 / 3, 2 / 3),
    ("C1", "C1;", 2 / 3, 2 / 3, 1.0),
    ("C1", "c1", 1.0, 1.0, 1.0),
    ("C1", "", 0.0, 0.0, 0.0),
    ("C1", ALONE, 0.0, 0.0, 0.0),
    ("", "", SKIPPED, 1.0, SKIPPED),
    ("", ALONE, SKIPPED, 0.0, SKIPPED),
    ("", "C1", SKIPPED, 0.0, SKIPPED),
]
ROW_NAMES = [
    "one of two",
    "an empty part is a false positive in code",
    "lower case",
    "id and comma",
    "id alone",
    "both empty",
    "truth empty, id alone",
    "truth empty, one named",
]
REFUSED_2026 = {"C1;": "RUN303", "c1": "RUN305", ALONE: "RUN311"}  # by the check before the scorer


def value_of(report: ScoreReport, image_id: str, metric: str = "f1") -> float | None:
    score = report[metric]
    return dict(zip(score.ids, score.values, strict=True)).get(image_id)


def assert_row(report: ScoreReport, expected: float | None) -> None:
    """Image 'x' is the row of the table, image 'anchor' scores 1, so that a mean exists."""
    assert value_of(report, "x") == expected
    assert value_of(report, "anchor") == 1.0
    counted = [1.0] if expected is SKIPPED else [expected, 1.0]
    assert report["f1"].n == len(counted)
    assert report["f1"].value == sum(counted) / len(counted)


@pytest.mark.parametrize(("truth", "said", "old", "new", "documented"), TABLE, ids=ROW_NAMES)
class TestTheTableOfSection3:
    @pytest.mark.parametrize("profile", ["official", "documented"])
    @pytest.mark.parametrize("edition", OLD)
    def test_column_2017_and_2018(
        self,
        truth: str,
        said: str | None,
        old: float | None,
        new: float,
        documented: float | None,
        edition: str,
        profile: str,
        write: Writer,
    ) -> None:
        run, folder = write(edition, {"x": truth, "anchor": "C9"}, {"x": said, "anchor": "C9"})
        assert_row(score_concepts(run, folder, edition=edition, profile=profile), old)

    @pytest.mark.parametrize("edition", NEW)
    def test_column_2022_to_2026_official(
        self,
        truth: str,
        said: str | None,
        old: float | None,
        new: float,
        documented: float | None,
        edition: str,
        write: Writer,
    ) -> None:
        labels, cells = {"x": truth, "anchor": "C9"}, {"x": said, "anchor": "C9"}
        run, folder = write(edition, labels, cells)
        if edition == "2026" and said in REFUSED_2026:
            with pytest.raises(InputError) as caught:
                score_concepts(run, folder, edition=edition)
            errors = {issue.code for issue in caught.value.issues if issue.level is Level.ERROR}
            assert errors == {REFUSED_2026[said]}
            assert_row(score_concepts(cells, labels, edition=edition), new)
        else:
            assert_row(score_concepts(run, folder, edition=edition), new)

    @pytest.mark.parametrize("edition", NEW)
    def test_column_documented(
        self,
        truth: str,
        said: str | None,
        old: float | None,
        new: float,
        documented: float | None,
        edition: str,
        write: Writer,
    ) -> None:
        labels, cells = {"x": truth, "anchor": "C9"}, {"x": said, "anchor": "C9"}
        run, folder = write(edition, labels, cells)
        if edition == "2026" and said in REFUSED_2026:
            report = score_concepts(cells, labels, edition=edition, profile="documented")
        else:
            report = score_concepts(run, folder, edition=edition, profile="documented")
        assert_row(report, documented)


def f1_of(edition: str, truth: str, said: str | None, profile: str = "official") -> float | None:
    """F1 of one image beside an anchor; None if the image is left out."""
    report = score_concepts(
        {"x": said, "anchor": "C9"}, {"x": truth, "anchor": "C9"}, edition=edition, profile=profile
    )
    return value_of(report, "x")


# --- 2022-26 official ---


@pytest.mark.parametrize("edition", NEW)
def test_2022_on_parts_are_stripped(edition: str) -> None:
    assert f1_of(edition, "C1 ;\tC2", " C1;C2 ") == 1.0


@pytest.mark.parametrize("edition", NEW)
def test_2022_on_there_is_no_empty_test_so_an_empty_cell_is_one_concept(edition: str) -> None:
    assert f1_of(edition, "", "  ") == 1.0
    assert f1_of(edition, "C1;", "") == 2 / 3  # the empty part of the truth is found by the empty cell


@pytest.mark.parametrize("edition", NEW)
def test_2022_on_the_branch_that_skips_an_empty_truth_never_runs(edition: str) -> None:
    report = score_concepts({"a": "", "b": "C1"}, {"a": "", "b": " "}, edition=edition)
    assert (report["f1"].values, report["f1"].n, report["f1"].value) == ((1.0, 0.0), 2, 0.5)


@pytest.mark.parametrize("edition", NEW[:-1])
def test_2022_on_repeats_are_tested_before_upper_casing_so_two_spellings_pass_and_count_once(
    edition: str, write: Writer
) -> None:
    run, folder = write(edition, {"x": "C1;C2"}, {"x": "c1;C1"})
    report = score_concepts(run, folder, edition=edition)
    assert report["f1"].value == 2 / 3
    assert "RUN308" in {issue.code for issue in report.issues}


@pytest.mark.parametrize("said", ["C1;C1", "C1; C1", "C1;;"])
@pytest.mark.parametrize("edition", NEW[:-1])
def test_2022_on_repeats_are_tested_on_stripped_parts_and_refused(
    edition: str, said: str, write: Writer
) -> None:
    run, folder = write(edition, {"x": "C1;C2"}, {"x": said})
    with pytest.raises(InputError) as caught:
        score_concepts(run, folder, edition=edition)
    assert "RUN302" in {issue.code for issue in caught.value.issues if issue.level is Level.ERROR}


@pytest.mark.parametrize("edition", NEW)
def test_2022_on_both_sides_are_upper_cased(edition: str) -> None:
    assert f1_of(edition, "c1;C2", "C1;c2") == 1.0


# --- 2017, 2018 ---


@pytest.mark.parametrize("edition", OLD)
def test_2017_18_the_whole_cell_is_upper_cased(edition: str, write: Writer) -> None:
    run, folder = write(edition, {"x": "c1;C2"}, {"x": "C1;c2"})
    assert score_concepts(run, folder, edition=edition)["f1"].value == 1.0


@pytest.mark.parametrize("edition", OLD)
def test_2017_18_parts_are_not_stripped_so_a_blank_makes_another_concept(edition: str, write: Writer) -> None:
    run, folder = write(edition, {"x": "C1;C2"}, {"x": "C1; C2"})
    assert score_concepts(run, folder, edition=edition)["f1"].value == 0.5
    assert f1_of("2022", "C1;C2", "C1; C2") == 1.0


@pytest.mark.parametrize("edition", OLD)
@pytest.mark.parametrize("blank", ["", " ", " \t "])
def test_2017_18_a_cell_blank_after_stripping_is_an_empty_list(edition: str, blank: str) -> None:
    assert f1_of(edition, blank, "C1") is SKIPPED
    assert f1_of(edition, "C1", blank) == 0.0


@pytest.mark.parametrize("edition", OLD)
def test_2017_18_the_string_is_tested_before_it_is_split_so_a_lone_semicolon_is_no_empty_truth(
    edition: str,
) -> None:
    assert f1_of(edition, ";", "C1") == 0.0
    assert f1_of(edition, ";", ";") == 1.0


@pytest.mark.parametrize("edition", OLD)
def test_2017_18_an_empty_truth_leaves_numerator_and_denominator(edition: str, write: Writer) -> None:
    truth = {"a": "C1;C2", "b": "", "c": "C1"}
    run, folder = write(edition, truth, {"a": "C1", "b": "C7", "c": "C1"})
    score = score_concepts(run, folder, edition=edition)["f1"]
    assert (score.n, score.ids, score.value) == (2, ("a", "c"), (2 / 3 + 1.0) / 2)


@pytest.mark.parametrize("edition", OLD)
def test_2017_18_a_row_holding_only_an_id_is_an_empty_prediction(edition: str, write: Writer) -> None:
    run, folder = write(edition, {"a": "C1", "b": "C1"}, {"a": "C1", "b": ALONE})
    report = score_concepts(run, folder, edition=edition)
    assert report["f1"].values == (1.0, 0.0)
    assert isinstance(report.habits, ConceptHabits)
    assert report.habits.empty_predictions == 1


@pytest.mark.parametrize("edition", OLD)
def test_2017_18_a_truth_without_any_concept_has_no_mean_and_is_refused(edition: str) -> None:
    with pytest.raises(InputError, match="No image of the truth names a concept"):
        score_concepts({"a": "C1"}, {"a": " "}, edition=edition)


@pytest.mark.parametrize("edition", ["2017", "2018", "2019"])
def test_documented_2017_is_as_the_code_of_2017(edition: str) -> None:
    for truth, said, old, _, _ in TABLE:
        assert f1_of(edition, truth, said, "documented") == old


# --- documented, 2022-26 ---


@pytest.mark.parametrize("edition", NEW)
def test_documented_empty_parts_are_dropped_on_both_sides(edition: str) -> None:
    assert f1_of(edition, "C1;;C2;", ";C1;C2", "documented") == 1.0
    assert f1_of(edition, ";", "C1", "documented") is SKIPPED


@pytest.mark.parametrize("switch", [None, "skip"])
@pytest.mark.parametrize("edition", NEW)
def test_documented_by_default_an_empty_truth_is_skipped(edition: str, switch: str | None) -> None:
    report = score_concepts(
        {"a": "", "b": "C1", "c": "C1"},
        {"a": "", "b": "", "c": "C1"},
        edition=edition,
        profile="documented",
        empty_truth=switch,
    )
    assert (report["f1"].ids, report["f1"].n) == (("c",), 1)
    assert "|empty:skip|" in report["f1"].signature


@pytest.mark.parametrize("edition", NEW)
def test_documented_the_switch_one_counts_an_empty_truth_and_is_reported(edition: str) -> None:
    report = score_concepts(
        {"a": "", "b": "C1", "c": ALONE, "d": "C1"},
        {"a": "", "b": "", "c": "", "d": "C1"},
        edition=edition,
        profile="documented",
        empty_truth="one",
    )
    assert report["f1"].values == (1.0, 0.0, 1.0, 1.0)
    assert "|empty:one|" in report["f1"].signature


@pytest.mark.parametrize("edition", ["2017", "2018", *NEW])
def test_the_switch_is_refused_for_the_official_profile(edition: str) -> None:
    for switch in ("skip", "one"):
        with pytest.raises(UsageError, match="official profile has its own rule"):
            score_concepts({"a": "C1"}, {"a": "C1"}, edition=edition, empty_truth=switch)


def test_the_switch_holds_for_the_secondary_score_too() -> None:
    def secondary(switch: str) -> tuple[float, int]:
        score = score_concepts(
            {"a": "C7", "b": "C0040405", "c": "C0817096"},
            {"a": "C7", "b": "C7", "c": "C0817096"},
            edition="2025",
            profile="documented",
            manual={"a": "", "b": "", "c": "C0817096"},
            empty_truth=switch,
        )["f1_manual"]
        return score.value, score.n

    assert secondary("skip") == (1.0, 1)
    assert secondary("one") == (2 / 3, 3)


def test_an_unknown_switch_is_refused_with_the_choice() -> None:
    with pytest.raises(UsageError, match=r"Nearest is 'one'\. Known: skip, one"):
        score_concepts({"a": "C1"}, {"a": "C1"}, profile="documented", empty_truth="on")


# --- secondary, 2023-26 official ---


CT, CHEST, OCT, PET_CT, BREAST, AP = "C0040405", "C0817096", "C0920367", "C1699633", "C0006141", "C1999039"


@pytest.mark.parametrize("edition", TRAPPED)
def test_secondary_only_allowed_concepts_count_on_both_sides(edition: str, write: Writer) -> None:
    run, folder = write(edition, {"x": f"{CT};C7"}, {"x": f"{CT};C8"}, manual={"x": f"{CT};{CHEST};C7"})
    score = score_concepts(run, folder, edition=edition)["f1_manual"]
    assert (score.value, score.n) == (2 / 3, 1)


@pytest.mark.parametrize("edition", TRAPPED)
def test_secondary_the_truth_is_that_of_the_manual_file(edition: str, write: Writer) -> None:
    run, folder = write(edition, {"x": CT}, {"x": CT}, manual={"x": CHEST})
    report = score_concepts(run, folder, edition=edition)
    assert (report["f1"].value, report["f1_manual"].value) == (1.0, 0.0)


@pytest.mark.parametrize("profile", ["official", "documented"])
@pytest.mark.parametrize("edition", TRAPPED)
def test_secondary_images_without_allowed_truth_leave_the_mean_so_a_false_modality_there_is_free(
    edition: str, profile: str, write: Writer
) -> None:
    truth = {"a": CT, "b": "C7", "c": "C7"}
    run, folder = write(edition, truth, {"a": CT, "b": CT, "c": "C7"}, manual={"a": CT, "b": "C7", "c": ""})
    score = score_concepts(run, folder, edition=edition, profile=profile)["f1_manual"]
    assert (score.value, score.n, score.ids) == (1.0, 1, ("a",))
    assert "|empty:skip|" in score.signature


@pytest.mark.parametrize(
    ("edition", "profile", "counted"),
    [
        ("2022", "documented", {PET_CT, BREAST}),
        ("2023", "official", {BREAST}),
        ("2023", "documented", {BREAST}),
        ("2024", "official", {BREAST}),
        ("2024", "documented", {BREAST}),
        ("2025", "official", {OCT, BREAST}),
        ("2025", "documented", {OCT, PET_CT}),
        ("2026", "official", {OCT, BREAST}),
        ("2026", "documented", {OCT, BREAST}),
        ("rocov2", "official", {BREAST, AP}),
        ("rocov2", "documented", {BREAST, AP}),
        ("radcap", "official", {OCT, BREAST}),
    ],
)
def test_secondary_the_set_is_that_of_the_edition_and_profile(
    edition: str, profile: str, counted: set[str]
) -> None:
    labels = {cui: cui for cui in (OCT, PET_CT, BREAST, AP)}
    report = score_concepts(labels, labels, edition=edition, profile=profile, manual=labels)
    assert set(report["f1_manual"].ids) == counted


@pytest.mark.parametrize("profile", ["official", "documented"])
def test_rocov2_has_the_secondary_score_with_and_without_direction(profile: str, write: Writer) -> None:
    run, folder = write("rocov2", {"x": CT}, {"x": CT}, manual={"x": f"{CT};{AP}"})
    report = score_concepts(run, folder, edition="rocov2", profile=profile)
    assert report["f1_manual"].value == 2 / 3
    assert report["f1_manual_no_direction"].value == 1.0


@pytest.mark.parametrize("profile", ["official", "documented"])
def test_secondary_without_any_allowed_truth_is_tru102_and_no_crash(profile: str, write: Writer) -> None:
    run, folder = write("2025", {"a": "C1", "b": "C2"}, {"a": "C1", "b": CT}, manual={"a": "C1", "b": ""})
    report = score_concepts(run, folder, edition="2025", profile=profile)
    assert [issue.message for issue in report.issues if issue.code == "TRU102"] == [
        "0 images carry one of the 15 CUIs. The mean is undefined."
    ]
    assert not report.ok
    assert report["f1"].value == 0.5  # the primary score does not suffer
    (missing,) = report.missing
    assert missing.name == "f1_manual"
    fails = "The official evaluator fails here: " if profile == "official" else ""
    assert missing.why == f"{fails}0 images carry one of the 15 CUIs. The mean is undefined."


@pytest.mark.parametrize("edition", TRAPPED)
def test_secondary_a_run_id_absent_from_the_manual_file_is_tru101_and_no_crash(
    edition: str, write: Writer
) -> None:
    truth = {"a": CT, "b": CT, "c": CT}
    run, folder = write(edition, truth, truth, manual={"b": CT})
    report = score_concepts(run, folder, edition=edition)
    found = [issue for issue in report.issues if issue.code == "TRU101"]
    assert [issue.message for issue in found] == [
        "a has no row in concepts_manual.csv. Secondary F1 cannot be formed.",
        "c has no row in concepts_manual.csv. Secondary F1 cannot be formed.",
    ]
    assert {issue.level for issue in found} == {Level.ERROR}
    assert report["f1"].value == 1.0
    assert [one.name for one in report.missing] == ["f1_manual"]
    assert report.missing[0].why.startswith("The official evaluator fails here: ")


def test_2026_wants_the_images_of_the_truth_then_those_that_only_the_manual_file_has(write: Writer) -> None:
    truth, manual = {"a": CT, "b": CT}, {"z": CHEST, "b": CT, "a": CT}
    run, folder = write("2026", truth, {"a": CT, "b": CT, "z": CT}, manual=manual)
    report = score_concepts(run, folder, edition="2026")
    assert (report["f1"].ids, report["f1"].value) == (("a", "b"), 1.0)
    assert (report["f1_manual"].ids, report["f1_manual"].values) == (("a", "b", "z"), (1.0, 1.0, 0.0))
    run, folder = write("2026", truth, {"a": CT, "b": CT}, manual=manual)
    with pytest.raises(InputError) as caught:
        score_concepts(run, folder, edition="2026")
    assert [issue.code for issue in caught.value.issues if issue.level is Level.ERROR] == ["RUN207"]


def test_rocov2_says_for_each_secondary_score_why_it_cannot_be_formed() -> None:
    report = score_concepts({"x": CT}, {"x": CT}, edition="rocov2", manual={"x": "C7"})
    assert [(one.name, one.why.rpartition("here: ")[2]) for one in report.missing] == [
        ("f1_manual", "0 images carry one of the 18 CUIs. The mean is undefined."),
        ("f1_manual_no_direction", "0 images carry one of the 14 CUIs. The mean is undefined."),
    ]


def test_rocov2_names_an_image_without_manual_row_once() -> None:
    report = score_concepts({"x": CT, "y": CT}, {"x": CT, "y": CT}, edition="rocov2", manual={"x": CT})
    assert [issue.code for issue in report.issues] == ["TRU101"]
    assert [one.name for one in report.missing] == ["f1_manual", "f1_manual_no_direction"]


def test_without_manual_labels_the_secondary_score_is_missing_and_nothing_is_wrong(write: Writer) -> None:
    run, folder = write("2025", {"x": CT}, {"x": CT})
    report = score_concepts(run, folder, edition="2025")
    assert report.ok
    assert [(one.name, one.why) for one in report.missing] == [("f1_manual", "No manual labels were given.")]
    assert "--manual" in report.missing[0].how


# --- constant secondary of 2018 and 2022 ---


@pytest.mark.parametrize("edition", ["2018", "2022"])
def test_the_secondary_score_of_2018_and_2022_is_a_constant_0_whatever_the_labels(
    edition: str, write: Writer
) -> None:
    truth = {"a": CT, "b": ""}
    for manual in (None, {"a": CT, "b": CT}, {"a": CT}):
        run, folder = write(edition, truth, {"a": CT, "b": CT}, manual=manual)
        report = score_concepts(run, folder / "concepts.csv", edition=edition, manual=manual)
        score = report["f1_manual"]
        assert (score.value, score.n, score.values) == (0.0, 2, (0.0, 0.0))
        assert "|constant:0|" in score.signature
        assert report.missing == ()
        assert report.ok


def test_the_documents_of_2018_know_no_secondary_score_and_those_of_2022_do() -> None:
    labels = {"a": CT}
    documented = score_concepts(labels, labels, edition="2018", profile="documented", manual=labels)
    assert "f1_manual" not in {score.name for score in documented.scores}
    report = score_concepts(labels, labels, edition="2022", profile="documented", manual=labels)
    assert report["f1_manual"].value == 1.0


# --- the ID trap ---


@pytest.mark.parametrize("edition", TRAPPED)
def test_2023_on_a_row_whose_id_contains_id_disappears_from_truth_and_run(
    edition: str, write: Writer
) -> None:
    truth = {"VID1": CT, "img2": f"{CT};C2", "IDE3": "C3", "img4": "C4"}
    run, folder = write(edition, truth, {**truth, "VID1": "C9", "img2": CT}, manual=truth)
    report = score_concepts(run, folder, edition=edition)
    assert (report["f1"].ids, report["f1"].value) == (("img2", "img4"), (2 / 3 + 1.0) / 2)
    assert report["f1_manual"].ids == ("img2",)
    assert [issue.line for issue in report.issues if issue.code == "RUN212"] == [2, 4]


@pytest.mark.parametrize(
    ("edition", "profile"),
    [("2022", "official"), *((edition, "documented") for edition in NEW), ("rocov2", "official")],
)
def test_elsewhere_an_id_that_contains_id_counts(edition: str, profile: str) -> None:
    report = score_concepts(
        {"VID1": "C9", "b": "C1"}, {"VID1": "C1", "b": "C1"}, edition=edition, profile=profile
    )
    assert (report["f1"].n, report["f1"].value) == (2, 0.5)


@pytest.mark.parametrize("edition", TRAPPED)
def test_the_trap_is_set_for_capitals_only(edition: str) -> None:
    report = score_concepts({"vid1": "C1", "aId2": "C1"}, {"vid1": "C1", "aId2": "C1"}, edition=edition)
    assert report["f1"].n == 2


@pytest.mark.parametrize("edition", TRAPPED)
def test_an_image_in_the_trap_needs_no_manual_row(edition: str) -> None:
    labels = {"VID1": CT, "b": CT}
    report = score_concepts(labels, labels, edition=edition, manual={"b": CT})
    assert report.ok
    assert report["f1_manual"].value == 1.0


@pytest.mark.parametrize("edition", TRAPPED)
def test_a_truth_that_is_all_trap_has_no_mean_and_is_refused(edition: str) -> None:
    with pytest.raises(InputError, match="mean is undefined"):
        score_concepts({"VID1": "C1"}, {"VID1": "C1"}, edition=edition)


# --- the sum ---


def test_the_sum_runs_in_the_order_of_the_run_as_the_loop_of_the_evaluators(write: Writer) -> None:
    chance = random.Random(2025)  # noqa: S311
    concepts = [f"C{number}" for number in range(1, 12)]
    ids = [f"image{number}" for number in range(200)]
    truth = {one: ";".join(chance.sample(concepts, chance.randint(1, 9))) for one in ids}
    said = {one: ";".join(chance.sample(concepts, chance.randint(1, 9))) for one in ids}
    shuffled = dict(chance.sample(sorted(said.items()), len(said)))
    run, folder = write("2025", truth, shuffled)
    score = score_concepts(run, folder, edition="2025")["f1"]
    by_id = dict(zip(score.ids, score.values, strict=True))
    assert score.ids == tuple(ids)
    assert score.value == mean_in_order(by_id[one] for one in shuffled)
    assert score.value != mean_in_order(by_id[one] for one in ids)  # else this would test nothing
    assert score.value == pytest.approx(mean_in_order(by_id[one] for one in ids), abs=1e-12)


def test_an_image_that_only_the_manual_labels_have_counts_as_0_in_the_official_mean() -> None:
    truth, manual = {"a": "C0040405"}, {"a": "C0040405", "b": "C0024485"}
    for profile, value, n in (("official", 0.5, 2), ("documented", 1.0, 1)):
        score = score_concepts(truth, truth, manual=manual, edition="2025", profile=profile)["f1_manual"]
        assert (score.value, score.n) == (value, n)
