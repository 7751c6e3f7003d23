"""What the pages on captions state in tables agrees with the code."""

from __future__ import annotations

import re

import pytest
from test_docs_facts import DOCS, rows_of

import radcap
from radcap.metrics import AGGREGATES, CAPTION_METRICS, EDITIONS, BleuRule, Preparation, prepare
from radcap.metrics.bleu import bleu_scores

CAPTIONS = DOCS / "explanation" / "captions.md"
SCORE_CAPTIONS = DOCS / "how-to" / "score-captions.md"


def code(cell):
    """The words of a cell that are set as code."""
    return re.findall(r"`(.+?)`", cell)


def editions_in(cell):
    """Names of editions: '2017 to 2022' is every year with captions in between."""
    first, _, last = cell.partition(" to ")
    if last:
        years = [str(year) for year in range(int(first), int(last) + 1)]
        return [year for year in years if EDITIONS[year].official.captions is not None]
    return re.findall(r"\d{4}|rocov2|radcap", cell)


EDITION_ROWS = rows_of(SCORE_CAPTIONS, "Editions")


def test_every_edition_with_captions_is_listed_once():
    listed = [name for row in EDITION_ROWS for name in editions_in(row[0])]
    assert sorted(listed) == sorted(one.name for one in EDITIONS.values() if one.official.captions)


@pytest.mark.parametrize("row", EDITION_ROWS, ids=lambda row: row[0])
def test_editions_measure_captions_as_the_table_says(row):
    for name in editions_in(row[0]):
        captions = EDITIONS[name].official.captions
        assert captions is not None
        ranking = [one for one in (captions.primary, captions.secondary) if one]
        measured = [*captions.metrics, *captions.aggregates]
        raw = [one for one in captions.metrics if captions.preparation_of(one) is Preparation.RAW]
        assert code(row[1]) == ranking
        assert code(row[2]) == [one for one in measured if one not in ranking]
        assert row[3].split(";")[0] == captions.preparation
        assert code(row[3]) == raw


def test_documented_caption_profiles_differ_where_the_page_says():
    text = SCORE_CAPTIONS.read_text("utf-8")
    for one in EDITIONS.values():
        official, documented = one.official.captions, one.documented.captions
        if official is None or documented is None:
            continue
        assert (documented.preparation != official.preparation) is (one.name == "2022")
        assert (documented.primary != official.primary) is (one.name == "2025")
        assert official.constant is (one.name == "2018")
    assert f"`{EDITIONS['2025'].documented.captions.primary}`" in text  # pyright: ignore[reportOptionalMemberAccess]


def test_every_caption_metric_is_listed_with_what_it_needs():
    rows = rows_of(SCORE_CAPTIONS, "Metric")
    needs = {name: row[2] for row in rows for name in code(row[0])}
    assert sum(len(code(row[0])) for row in rows) == len(needs), "a name stands twice"
    assert set(needs) == set(CAPTION_METRICS)
    declared = sum(metric.path is None for metric in CAPTION_METRICS.values())
    assert (declared, len(needs)) == (10, 21), "the page counts them in words"
    assert "Ten of the 21 are" in " ".join(SCORE_CAPTIONS.read_text("utf-8").split())
    for name, said in needs.items():
        metric = CAPTION_METRICS[name]
        assert (said == "nothing") is (metric.needs == "nothing")
        assert ("plug-in" in said) is (metric.path is None)


PREPARED = [row for row in rows_of(CAPTIONS, "Written") if len(row) == 4]


@pytest.mark.parametrize("row", PREPARED, ids=lambda row: row[0].strip("`"))
@pytest.mark.parametrize(
    ("column", "how"), [(1, Preparation.P17), (2, Preparation.P22C), (3, Preparation.P23)]
)
def test_captions_are_prepared_as_the_table_says(row, column, how):
    assert prepare(code(row[0]), how) == code(row[column])


@pytest.mark.parametrize("row", rows_of(CAPTIONS, "Name"), ids=lambda row: row[0])
def test_preparations_are_used_by_the_editions_the_table_names(row):
    how = Preparation(row[0])
    if how is Preparation.RAW:
        return
    profile = "documented" if how is Preparation.P22 else "official"
    using = [
        one.name
        for one in EDITIONS.values()
        if one.name.isdigit()
        and (captions := one.profile(profile).captions) is not None
        and captions.preparation is how
    ]
    assert editions_in(row[2].split(", doc")[0].split(", off")[0]) == using


def test_every_preparation_and_every_rule_is_listed():
    assert [row[0] for row in rows_of(CAPTIONS, "Name")] == list(Preparation)
    assert [row[0].strip("`") for row in rows_of(CAPTIONS, "Rule")] == list(BleuRule)


BLEU_REFERENCE = "chest xray show left pleural effus"


@pytest.mark.parametrize("row", rows_of(CAPTIONS, "Candidate"), ids=lambda row: row[0].strip("`"))
def test_bleu_is_as_the_table_says(row):
    reference = (code(row[1]) or [BLEU_REFERENCE])[0].split()
    for cell, rule in ((row[2], BleuRule.TRUNCATING), (row[3], BleuRule.VANISHING)):
        (found,) = bleu_scores([code(row[0])[0].split()], [reference], rule)
        assert f"{found:.4f}" == cell


EMPTY = rows_of(CAPTIONS, "Truth")
EMPTY_COLUMNS = {2: "bleu", 3: "rouge1", 4: "rouge1"}
EMPTY_YEARS = {2: "2017 to 2022", 3: "2023 and 2024", 4: "2025 and 2026"}


def test_header_of_the_empty_cases_names_years_and_metrics():
    header = [f"{EMPTY_YEARS[column]}, `{metric}`" for column, metric in EMPTY_COLUMNS.items()]
    assert f"| Truth | Run | {' | '.join(header)} |" in CAPTIONS.read_text("utf-8")


@pytest.mark.parametrize("row", EMPTY, ids=lambda row: f"{row[0]} {row[1]}".replace("`", ""))
@pytest.mark.parametrize("column", EMPTY_COLUMNS)
def test_empty_captions_score_as_the_table_says(row, column):
    true, said = ("" if cell == "empty" else code(cell)[0] for cell in row[:2])
    metric = EMPTY_COLUMNS[column]
    for edition in editions_in(EMPTY_YEARS[column]):
        truth, run = {"case": true, "other": "CT"}, {"case": said, "other": "CT"}
        report = radcap.score_captions(run, truth, edition=edition, metrics=[metric])
        if row[column] == "fails":
            assert metric not in report
            assert "TRU104" in {issue.code for issue in report.issues}
        else:
            assert report[metric].values[0] == float(row[column])


LETTERS = dict(zip("SBRLUA", AGGREGATES["mean_of_six"], strict=True))


@pytest.mark.parametrize("row", rows_of(CAPTIONS, "Figure"), ids=lambda row: row[0].strip("`"))
def test_figures_are_made_as_the_table_says(row):
    inside, _, number = row[1].partition(") / ")
    parts = [part.strip("(` ") for part in inside.split("+")]
    named = tuple(LETTERS.get(part, part) for part in parts)
    assert AGGREGATES[code(row[0])[0]] == named
    assert int(number) == len(parts)


def test_every_figure_is_listed():
    assert [code(row[0])[0] for row in rows_of(CAPTIONS, "Figure")] == list(AGGREGATES)
