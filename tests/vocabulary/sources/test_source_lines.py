"""Lines and rows of text files."""

from __future__ import annotations

import csv
import io
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocabulary.sources.source_readings import codes, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources.delimited import find_separator, read_rows
from radcap.vocabulary.sources.text_lines import LONGEST, lost_byte, read_lines

if TYPE_CHECKING:
    from pathlib import Path


def _lines(path: Path) -> tuple[list[tuple[int, str]], Findings]:
    findings = Findings()
    return list(read_lines([path], path.name, findings)), findings


def _rows(
    text: str, separator: str = ",", *, quoted: bool = True
) -> tuple[list[tuple[int, list[str]]], Findings]:
    findings = Findings()
    numbered = iter(list(enumerate(text.split("\n"), 1)))
    return list(read_rows(numbered, separator, "x", findings, quoted=quoted)), findings


@pytest.mark.parametrize(
    "data",
    [b"a\nb\n", b"a\r\nb", b"a\rb\r", b"\xef\xbb\xbfa\nb", "a\nb\n".encode("utf-16")],
    ids=["LF", "CRLF", "CR", "mark", "UTF-16"],
)
def test_lines_of_every_system(tmp_path, data) -> None:
    found, findings = _lines(write(tmp_path / "x", data))
    assert found == [(1, "a"), (2, "b")]
    assert codes(findings) == []


def test_a_line_that_is_too_long_is_named(tmp_path) -> None:
    found, findings = _lines(write(tmp_path / "x", b"a\n" + b"x" * (LONGEST + 1) + b"\nb\n"))
    assert found == [(1, "a"), (3, "b")]
    assert codes(findings) == [("VOC115", 2)]


@pytest.mark.parametrize(("text", "byte"), [("plain", None), ("schön", None), ("sch\udcf6n", "0xF6")])
def test_lost_bytes_are_found(text, byte) -> None:
    assert lost_byte(text) == byte


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        ("cui,name,synonyms", ","),
        ("cui\tname", "\t"),
        ("cui;name", ";"),
        ("CUI|STR", "|"),
        ("C0000001\tA, b, c, d", "\t"),
        ('"C0000001";"A, b, c, d"', ";"),
        ("cui", "\t"),
        ("", "\t"),
    ],
)
def test_the_separator_is_seen(line, sign) -> None:
    assert find_separator(line) == sign


ROWS = {
    "plain": ("a,b\nc,d", [(1, ["a", "b"]), (2, ["c", "d"])], []),
    "blank lines": ("a,b\n\n  \nc,d\n", [(1, ["a", "b"]), (4, ["c", "d"])], []),
    "quotes": ('a,"b, ""c"""\nd,e', [(1, ["a", 'b, "c"']), (2, ["d", "e"])], []),
    "a cell over two lines": ('a,"b\nc"\nd,e', [(1, ["a", "b\nc"]), (3, ["d", "e"])], []),
    "a quote inside": ('a,5" needle', [(1, ["a", '5" needle'])], []),
    "a quote that never closes": ('a,"b\nc,d\ne,f', [(2, ["c", "d"]), (3, ["e", "f"])], [("VOC213", 1)]),
    "a quote before a row": (
        'C0000001,"b\nC0000002,"d"\ne,f',
        [(2, ["C0000002", "d"]), (3, ["e", "f"])],
        [("VOC213", 1)],
    ),
    "two that would close each other": (
        'C0000001,"b\nC0000002,d\nC0000003,e"f',
        [(2, ["C0000002", "d"]), (3, ["C0000003", 'e"f'])],
        [("VOC213", 1)],
    ),
    "a byte that is no UTF-8": ("a,b\udce9\nc,d", [(2, ["c", "d"])], [("VOC202", 1)]),
}


@pytest.mark.parametrize(("text", "rows", "found"), ROWS.values(), ids=ROWS.keys())
def test_rows(text, rows, found) -> None:
    read, findings = _rows(text)
    assert read == rows
    assert codes(findings) == found


def test_a_cell_that_goes_on_too_long_is_given_up() -> None:
    far = "\n".join(["word " * 100] * 400)
    read, findings = _rows(f'a,"b\n{far}\nc,d"')
    assert codes(findings) == [("VOC213", 1)]
    assert len(read) == 401


def test_without_quoting_quotes_are_letters() -> None:
    assert _rows('"a\tb"\n', "\t", quoted=False)[0] == [(1, ['"a', 'b"'])]


def test_open_quotes_do_not_cost_quadratic_time() -> None:
    text = "\n".join(f'RID{i}0,"open' for i in range(20_000))
    start = time.perf_counter()
    read, findings = _rows(text)
    assert time.perf_counter() - start < 30
    assert read == []
    assert findings.counts["VOC213"] == 20_000


@given(
    st.lists(
        st.lists(
            st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=("Cs",)), max_size=8),
            min_size=2,
        ),
        max_size=8,
    )
)
def test_what_csv_writes_is_read_back(rows) -> None:
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    held = io.StringIO(newline="")
    csv.writer(held, lineterminator="\n").writerows(rows)
    read, findings = _rows(held.getvalue())
    assert [cells for _, cells in read] == rows
    assert codes(findings) == []
