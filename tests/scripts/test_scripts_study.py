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
    lines = study.f1_table(values, "title")
    assert lines[0] == "**title**"
    for way, line in zip(WAYS, lines[4:6], strict=True):
        assert line.split("|")[2].strip() == row(tables[place], way)[tables[place][0].index("baseline")]
    assert re.fullmatch(
        r"[+-]0\.\d{4} \[[+-]0\.\d{4}, [+-]0\.\d{4}\], p [=<] 0\.\d{3}", lines[5].split("|")[4].strip()
    )
    assert lines[4].split("|")[4].strip() == ""  # the global threshold against itself


def test_cross_fitted_cells_are_those_of_the_page(bench, tables):
    lines = study.valid_table(one_model(bench, "student"), WAYS)
    for way, line in zip(WAYS, lines[2:4], strict=True):
        assert line.split("|")[2].strip() == row(tables[2], way)[tables[2][0].index("student")]


def test_why_is_the_table_of_the_page(bench, tables):
    lines = study.why_table(bench)
    printed = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line]
    assert printed[0] == tables[3][0]
    assert printed[2:] == tables[3][2:]


def test_every_way_has_a_row_in_every_table(tables):
    for table in tables[:3]:
        assert [one[0] for one in table[2:]] == list(study.WAYS)


def test_the_mean_of_five_is_a_mean(bench):
    for part in (0, 1):
        five = [bench.logits[name][part] for name in study.ENSEMBLE]
        np.testing.assert_allclose(bench.logits["mean of five"][part], sum(five) / 5, atol=1e-5)


@pytest.mark.parametrize(
    ("gap", "told"), [(np.full(50, 0.01), "p < 0.001"), (np.array([0.01, -0.01] * 25), "p = 1.000")]
)
def test_a_small_p_is_no_zero(gap, told):
    assert study.difference(gap).endswith(told)


def test_tables_are_written_between_the_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{study.BEGIN}\nold\n{study.END}\nafter\n", encoding="utf-8")
    study.write("new\n\n", page)
    assert page.read_text("utf-8") == f"before\n{study.BEGIN}\n\nnew\n\n{study.END}\nafter\n"
