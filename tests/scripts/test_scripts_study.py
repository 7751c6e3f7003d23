"""The study's script prints the cells that the page shows, on a part of the rules and models."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from script_files import SCRIPTS, script

study = script("study_decisions")

PAGE = SCRIPTS.parent / "docs" / "studies" / "decisions.md"
WAYS = ("global", "expected F1, Platt by label, shrunk")


@pytest.fixture(scope="module")
def bench():
    return study.bench()


@pytest.fixture(scope="module")
def tables():
    """The tables of the page as rows of cells, in their order."""
    text = PAGE.read_text("utf-8").split(study.BEGIN)[1].split(study.END)[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    heads = [n for n, row in enumerate(rows) if row and row[0] in {"Rule", "Model"}]
    ends = [*heads[1:], len(rows)]
    return [[row for row in rows[a:b] if row] for a, b in zip(heads, ends, strict=True)]


def one_model(bench, name):
    return replace(bench, logits={name: bench.logits[name]})


def row(table, name):
    return next(one for one in table if one[0] == name)


@pytest.mark.parametrize(("place", "manual"), [(0, False), (1, True)])
def test_cells_of_a_model_are_those_of_the_page(bench, tables, place, manual):
    at = one_model(bench, "baseline")
    columns = at.manual if manual else list(range(len(at.labels)))
    values = study.f1_of(study.all_decided(at, WAYS), at.test, columns)
    lines = study.f1_table(values, "title", at.groups["test"])
    assert lines[0] == "**title**"
    for way, line in zip(WAYS, lines[4:6], strict=True):
        assert line.split("|")[2].strip() == row(tables[place], way)[tables[place][0].index("baseline")]
    told = [cell.strip() for cell in lines[5].split("|")[4:-1]]
    assert re.fullmatch(r"[+-]0\.\d{4} \[[+-]0\.\d{4}, [+-]0\.\d{4}\]", told[0])
    assert told[1] == told[2]  # Holm's correction over one rule
    assert [cell.strip() for cell in lines[4].split("|")[4:-1]] == ["", "", ""]  # global against itself


def test_cross_fitted_cells_are_those_of_the_page(bench, tables):
    lines = study.valid_table(one_model(bench, "student"), WAYS)
    for way, line in zip(WAYS, lines[2:4], strict=True):
        assert line.split("|")[2].strip() == row(tables[3], way)[tables[3][0].index("student")]


def test_why_is_the_table_of_the_page(bench, tables):
    lines = study.why_table(bench)
    printed = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line]
    assert printed[0] == tables[4][0]
    assert printed[2:] == tables[4][2:]


def test_every_way_has_a_row_in_every_table(tables):
    for table in (tables[0], tables[1], tables[3]):
        assert [one[0] for one in table[2:]] == list(study.WAYS)


def test_the_mean_of_five_is_a_mean(bench):
    for part in (0, 1):
        five = [bench.logits[name][part] for name in study.ENSEMBLE]
        np.testing.assert_allclose(bench.logits["mean of five"][part], sum(five) / 5, atol=1e-5)


def alone(images):
    """Every image is a group."""
    return [str(place) for place in range(len(images))]


def test_images_of_a_group_are_flipped_together():
    gap = np.random.default_rng(1).normal(0.05, 0.2, 12)
    one, twice = alone(gap), np.repeat(alone(gap), 2).tolist()
    assert study.p_value(np.repeat(gap, 2), twice) == study.p_value(gap, one)
    assert study.p_value(np.repeat(gap, 2), alone(range(24))) < study.p_value(gap, one)


@pytest.mark.parametrize(
    ("gap", "told"), [(np.full(50, 0.01), "< 0.001"), (np.array([0.01, -0.01] * 25), "1.000")]
)
def test_a_small_p_is_no_zero(gap, told):
    assert study.p_text(study.p_value(gap, alone(gap))) == told


def test_holm_corrects_over_the_rules_of_a_table():
    shift = np.random.default_rng(0).normal(0.02, 0.1, 100)
    values = {"model": {"global": np.zeros(100), "same": shift, "again": shift}}
    cells = [
        [cell.strip() for cell in line.split("|")] for line in study.f1_table(values, "t", alone(shift))[5:7]
    ]
    assert [float(row[-2]) for row in cells] == [
        min(1.0, round(2 * study.p_value(shift, alone(shift)), 3))
    ] * 2


def test_rules_are_compared_with_each_other(tables):
    printed = next(table for table in tables if table[0][1] == "against")
    assert [(row[0], row[1]) for row in printed[2:]] == list(study.PAIRS)
    ways = {
        way: np.full(20, n / 10)
        for n, way in enumerate(sorted({one for pair in study.PAIRS for one in pair}))
    }
    first = study.pair_table({"all labels": {"model": ways}}, alone(range(20)))[4].split("|")
    one, other = study.PAIRS[0]
    expected = ways[one][0] - ways[other][0]
    assert first[3].strip() == f"{expected:+.4f} [{expected:+.4f}, {expected:+.4f}]"


def test_tables_are_written_between_the_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{study.BEGIN}\nold\n{study.END}\nafter\n", encoding="utf-8")
    study.write("new\n\n", page)
    assert page.read_text("utf-8") == f"before\n{study.BEGIN}\n\nnew\n\n{study.END}\nafter\n"
