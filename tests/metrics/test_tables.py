"""Editions and scores as tables for people."""

from __future__ import annotations

from dataclasses import replace

import pytest

from radcap.core import Score, Task
from radcap.metrics import (
    EDITIONS,
    NotScored,
    ScoreReport,
    differences,
    edition,
    score_captions,
    score_concepts,
)
from radcap.metrics.edition_tables import difference_table, edition_table, editions_table, file_table
from radcap.metrics.score_tables import habits_table, missing_lines, run_table, score_table

CT = "C0040405"


def column(table_rows: tuple[tuple[str, ...], ...], name: str) -> tuple[str, ...]:
    return next(row for row in table_rows if row[0] == name)[1:]


# --- editions ---


def test_all_editions_stand_in_one_table_a_row_each() -> None:
    rows = {row[0]: row[1:] for row in editions_table().rows}
    assert list(rows) == list(EDITIONS)
    assert rows["2017"] == ("164,614 / 10,000 / 10,000", "f1", "bleu", "")
    assert rows["2018"][1] == "f1, f1_manual (constant 0)"
    assert rows["2019"][2:] == ("not held", "inferred")
    assert rows["2023"][1:] == ("f1, f1_manual on manual14 (14 CUIs)", "bertscore, rouge1", "")


@pytest.mark.parametrize("name", EDITIONS)
def test_the_table_of_an_edition_has_both_profiles_side_by_side(name: str) -> None:
    table = edition_table(edition(name))
    assert table.columns == ("measured", "official", "documented")
    assert table.title == f"{edition(name).title}, train / valid / test images: {edition(name).images}"
    assert all(cell for row in table.rows for cell in row)


@pytest.mark.parametrize(
    ("name", "fact", "official", "documented"),
    [
        ("2025", "concepts, secondary", "manual15 (15 CUIs)", "manual2025-documented (15 CUIs)"),
        ("2025", "concepts, cells", "an empty part is a concept", "empty parts dropped"),
        ("2025", "concepts, cells", "rows whose id contains 'ID' skipped", "blanks around a CUI dropped"),
        ("2025", "concepts, empty truth", "the empty cell is one empty concept", "image left out"),
        ("2025", "captions, ranked by", "overall", "mean_of_six"),
        ("2025", "captions, figures", "relevance_platform, factuality, relevance", "mean_of_six"),
        (
            "2025",
            "captions, preparation",
            "RAW for similarity, umls_f1, alignscore; P23 for bertscore, rouge1, bleurt",
            "P23 for bertscore",
        ),
        ("2017", "captions, both empty", "nothing is left of either caption", "nothing is left"),
        ("2023", "captions, both empty", "the evaluator fails", "written empty"),
        ("2023", "captions, figures", "none", "none"),
        ("2020", "captions, both empty", "-", "-"),
        ("2017", "concepts, secondary", "none", "none"),
        ("2017", "concepts, cells", "blanks around a CUI kept", "blanks around a CUI kept"),
        ("2018", "concepts, secondary", "constant 0", "none"),
        ("2019", "captions, ranked by", "not held", "not held"),
        ("2018", "captions, ranked by", "bleu, secondary (constant 0)", "bleu"),
        (
            "2018",
            "captions, BLEU",
            "truncating (NLTK 3.2.2 to 3.2.5); an image without a score",
            "truncating",
        ),
        ("2025", "captions, BLEU", "-", "-"),
        ("2019", "captions, metrics", "-", "-"),
        ("2021", "source", "inferred from the nearest public script", "published"),
        ("2022", "captions, preparation", "P22c", "P22"),
        ("rocov2", "concepts, secondary", "f1_manual_no_direction", "rocov2-manual (18 CUIs)"),
        ("radcap", "concepts, empty truth", "1 if the run names none", "1 if the run names none"),
    ],
)
def test_the_table_of_an_edition_tells(name: str, fact: str, official: str, documented: str) -> None:
    cells = column(edition_table(edition(name)).rows, fact)
    assert official in cells[0]
    assert documented in cells[1]


@pytest.mark.parametrize(
    ("name", "fact", "concepts", "captions"),
    [
        ("2017", "separator", "tab", "tab"),
        ("2022", "separator", "|", "|"),
        ("2023", "separator", "comma or tab or |", "comma or tab or |"),
        ("2022", "quoting", "none", "none"),
        ("2022", "header", "none", "none"),
        ("2025", "header", "optional", "needed"),
        ("2026", "header", "exact", "exact"),
        ("2026", "columns", "ID,CUIs", "ID,Caption"),
        ("2026", "order of rows", "that of the truth", "that of the truth"),
        ("2026", "packing", "zip with submission.csv", "zip with submission.csv"),
        ("2024", "packing", "plain", "plain"),
        ("radcap", "packing", "plain or zip", "plain or zip"),
        ("2018", "CUIs per image", "1286", "-"),
        ("2017", "CUIs per image", "not stated", "-"),
        ("2025", "runs per team", "30", "30"),
        ("2026", "runs per team", "not stated", "not stated"),
    ],
)
def test_the_table_of_run_files_tells(name: str, fact: str, concepts: str, captions: str) -> None:
    assert column(file_table(edition(name)).rows, fact) == (concepts, captions)


def test_the_table_of_run_files_has_no_column_for_a_subtask_that_was_not_held() -> None:
    assert file_table(edition("2020")).columns == ("run files", "concepts")


@pytest.mark.parametrize("name", EDITIONS)
def test_the_table_of_differences_has_one_row_for_each(name: str) -> None:
    rows = difference_table(name).rows
    assert [(row[0], row[2]) for row in rows] == [(str(one.number), one.topic) for one in differences(name)]


# --- scores ---


def report(edition_name: str, profile: str) -> ScoreReport:
    truth = {"a": f"{CT};C1", "b": "", "c": "C1"}
    said = {"a": CT, "b": "", "c": "C1;"}
    return score_concepts(said, truth, edition=edition_name, profile=profile, manual=truth)


def test_scores_of_both_profiles_stand_side_by_side_each_with_its_own_number_of_images() -> None:
    table = score_table(report("2025", "official"), report("2025", "documented"))
    assert table.title == "edition 2025"
    assert table.columns == ("score", "official", "images (official)", "documented", "images (documented)")
    assert column(table.rows, "f1") == ("0.777778", "3", "0.833333", "2")
    assert column(table.rows, "f1_manual") == ("1.000000", "1", "1.000000", "1")


def test_a_score_that_only_one_profile_has_is_shown_whichever_was_chosen() -> None:
    official, documented = report("2018", "official"), report("2018", "documented")
    assert column(score_table(official, documented).rows, "f1_manual") == (
        "0.000000 (constant)",
        "3",
        "-",
        "-",
    )
    assert column(score_table(documented, official).rows, "f1_manual") == (
        "-",
        "-",
        "0.000000 (constant)",
        "3",
    )


def test_without_the_other_profile_the_chosen_one_stands_alone() -> None:
    table = score_table(report("2025", "official"), None)
    assert table.columns == ("score", "official", "images (official)")
    assert column(table.rows, "f1") == ("0.777778", "3")


def test_scores_have_six_digits_and_are_right_aligned() -> None:
    table = score_table(report("2025", "official"), None)
    assert table.right == {"official", "images (official)"}
    assert all(len(row[1].partition(".")[2]) == 6 for row in table.rows)


def test_what_a_score_hides_stands_beside_that_of_the_truth() -> None:
    habits = report("2025", "official").habits
    assert habits is not None
    assert habits_table(habits).rows == (
        ("CUIs per image", "0.67", "1.00"),
        ("distinct CUIs", "2", "2"),
        ("images without CUI", "1", "1"),
    )


def test_several_runs_are_listed_the_best_first_with_what_their_scores_hide() -> None:
    truth = {"a": f"{CT};C1"}
    runs = [(said, score_concepts({"a": said}, truth, manual={"a": CT})) for said in ("C2", f"{CT};C1", CT)]
    bare = ScoreReport("2025", "official", Task.CONCEPTS, 1, (Score("f1", 0.1, 1, "f1|x"),))
    metrics, beside = ["f1", "f1_manual", "precision", "recall"], ["CUIs per image", "distinct CUIs"]
    table = run_table([*runs, ("bare", bare)], metrics, beside, "title")
    assert table.title == "title"
    assert table.columns == (
        "run",
        "f1",
        "f1_manual",
        "precision",
        "recall",
        "CUIs per image",
        "distinct CUIs",
    )
    assert table.rows == (
        (f"{CT};C1", "1.000000", "1.000000", "1.000000", "1.000000", "2.00", "2"),
        (CT, "0.666667", "1.000000", "1.000000", "0.500000", "1.00", "1"),
        ("bare", "0.100000", "-", "-", "-", "-", "-"),
        ("C2", "0.000000", "0.000000", "0.000000", "0.000000", "1.00", "1"),
    )


def caption_report(profile: str) -> ScoreReport:
    truth = {"a": "left lung mass", "b": "axial CT of the liver"}
    return score_captions(truth, truth, profile=profile, metrics=["rouge1", "overall"])


def test_a_figure_without_a_value_is_a_dash_and_one_with_a_value_counts_all_images() -> None:
    report = caption_report("official")
    assert column(score_table(report, None).rows, "overall") == ("-", "-")
    known = replace(report, aggregates={"overall": 0.37545})
    assert column(score_table(known, report).rows, "overall") == ("0.375450", "2", "-", "-")
    assert column(score_table(known, report).rows, "rouge1") == ("1.000000", "2", "1.000000", "2")


def test_caption_runs_stand_in_one_table_with_what_their_scores_hide() -> None:
    table = run_table(
        [("same", caption_report("official"))], ["rouge1", "cider"], ["vocabulary", "distinct CUIs"]
    )
    assert table.rows == (("same", "1.000000", "-", "8", "-"),)


def test_what_could_not_be_scored_shares_a_line_unless_it_was_asked_for() -> None:
    missing = [
        NotScored("bertscore", "A provider is missing.", "Install one.", absent=True),
        NotScored("rouge1", "The official evaluator fails.", "Mend it."),
        NotScored("bleurt", "A provider is missing.", "", absent=True),
    ]
    assert missing_lines(missing, in_full=False) == [
        "rouge1: not scored. The official evaluator fails. Mend it.",
        "Not scored, for lack of what they need: bertscore, bleurt. See radcap metrics status.",
    ]
    assert missing_lines(missing, in_full=True) == [
        "bertscore: not scored. A provider is missing. Install one.",
        "rouge1: not scored. The official evaluator fails. Mend it.",
        "bleurt: not scored. A provider is missing.",
    ]
    assert missing_lines([], in_full=False) == []
