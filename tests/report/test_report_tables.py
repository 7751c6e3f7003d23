"""A table as Markdown, CSV and HTML."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_values import HOSTILE, check_safe

from radcap.report import Table, digits
from radcap.report.markup import visible

TABLE = Table(("run", "f1"), (("a", "0.5"), ("longer", "0.25")), "a title", right=frozenset({"f1"}))
CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=6)


def test_markdown_aligns_text_left_and_numbers_right() -> None:
    assert TABLE.to_markdown().splitlines() == [
        "| run    |   f1 |",
        "|:-------|-----:|",
        "| a      |  0.5 |",
        "| longer | 0.25 |",
    ]


def test_markdown_of_a_table_without_rows_is_its_head() -> None:
    assert Table(("a", "b"), ()).to_markdown() == "| a | b |\n|:--|:--|"


@pytest.mark.parametrize(
    ("cell", "shown"),
    [("comma or |", r"comma or \|"), ("two\nlines", "two lines"), ("", "")],
    ids=["a bar", "a line break", "nothing"],
)
def test_a_cell_stays_one_cell_of_markdown(cell: str, shown: str) -> None:
    line = Table(("x",), ((cell,),)).to_markdown().splitlines()[2]
    assert line.strip("| ") == shown.strip("| ") or line == f"| {shown} |"
    assert line.replace(r"\|", "").count("|") == 2


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), max_size=4))
def test_every_line_of_markdown_has_the_same_width_and_the_same_number_of_bars(
    rows: list[tuple[str, str]],
) -> None:
    lines = Table(("a", "b"), tuple(rows), right=frozenset({"b"})).to_markdown().split("\n")
    assert len(lines) == len(rows) + 2
    assert len({len(line) for line in lines}) == 1
    assert {line.replace(r"\|", "").count("|") for line in lines} == {3}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), max_size=4))
def test_csv_is_read_back_to_the_same_cells(rows: list[tuple[str, str]]) -> None:
    text = Table(("a,b", 'c"d'), tuple(rows)).to_csv()
    assert list(csv.reader(text.splitlines(keepends=True))) == [["a,b", 'c"d'], *map(list, rows)]


def test_csv_lines_end_with_a_line_feed_alone() -> None:
    assert TABLE.to_csv() == "run,f1\na,0.5\nlonger,0.25\n"


@pytest.mark.parametrize(("value", "text"), [(0.57251, "0.572510"), (1.0, "1.000000"), (2 / 3, "0.666667")])
def test_scores_are_printed_with_six_digits(value: float, text: str) -> None:
    assert digits(value) == text


def test_html_has_a_caption_headers_with_scope_and_numbers_on_the_right() -> None:
    assert TABLE.to_html() == (
        "<table><caption>a title</caption>"
        '<thead><tr><th scope="col">run</th><th scope="col" class="n">f1</th></tr></thead>'
        '<tbody><tr><th scope="row">a</th><td class="n">0.5</td></tr>'
        '<tr><th scope="row">longer</th><td class="n">0.25</td></tr></tbody></table>'
    )


def test_html_rows_are_named_by_the_first_column_of_text() -> None:
    table = Table(("rank", "run", "team"), (("1", "a", "t"),), right=frozenset({"rank"}))
    row = '<tr><td class="n">1</td><th scope="row">a</th><td>t</td></tr>'
    assert table.to_html().endswith(f"<tbody>{row}</tbody></table>")


def test_html_of_numbers_alone_names_no_row() -> None:
    made = Table(("n",), (("1",),), right=frozenset({"n"})).to_html()
    head = '<thead><tr><th scope="col" class="n">n</th></tr></thead>'
    assert made == f'<table>{head}<tbody><tr><td class="n">1</td></tr></tbody></table>'


def test_html_lets_long_text_break() -> None:
    made = Table(("a", "b"), (("x" * 41, "y" * 41), ("x" * 40, ""))).to_html()
    assert made.count('class="long"') == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_html_escapes_every_cell_header_and_title(text: str) -> None:
    found = check_safe(Table((text, "n"), ((text, text),), text).to_html())
    assert found.text("th", "td", "caption").count(visible(text)) == 4
    assert {tag for tag, _ in found.tags} == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
