"""Rows and cells: the same as Python's csv module finds, with true lines."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import Level, Task
from radcap.formats import Expected, Reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.formats import Validation
    from radcap.formats.rows import Row

SEPARATORS = [",", "\t", "|"]
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8)
SIGNS = st.text('ab",|\t; é\u2028', max_size=8)
FIRST = st.one_of(TEXT, SIGNS).filter(str.strip)
ROWS = st.lists(
    st.builds(lambda first, rest: [first, *rest], FIRST, st.lists(st.one_of(TEXT, SIGNS), max_size=3))
)


def read(place: Callable[..., Path], text: str, separator: str, end: str = "\n") -> list[Row]:
    """The rows behind a header that settles the separator."""
    path = place(f"ID{separator}CUIs{end}".encode() + text.encode())
    return list(Reader(path, Task.CONCEPTS, "2023").rows())


@pytest.mark.parametrize("separator", SEPARATORS)
@given(rows=ROWS)
@settings(max_examples=60, deadline=None)
def test_what_csv_writes_is_read_back(
    place: Callable[..., Path], separator: str, rows: list[list[str]]
) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator, lineterminator="\n").writerows(rows)
    assert [row.cells for row in read(place, written.getvalue(), separator)] == rows


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@given(rows=st.lists(st.tuples(st.just("a1"), SIGNS), min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_the_end_of_a_line_makes_no_difference(
    place: Callable[..., Path], end: str, rows: list[tuple[str, str]]
) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator=end).writerows(rows)
    found = read(place, written.getvalue(), ",", end)
    assert [(row.line, tuple(row.cells)) for row in found] == list(enumerate(rows, 2))


def rows_of_csv(text: str, separator: str) -> list[tuple[int, int, list[str]]]:
    """First line, last line and cells of each row that is no blank line, header included in the count."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    reader = csv.reader(lines, delimiter=separator)
    found: list[tuple[int, int, list[str]]] = []
    before = 0
    for cells in reader:
        if lines[before].strip():
            found.append((before + 2, reader.line_num + 1, cells))
        before = reader.line_num
    return found


@pytest.mark.parametrize("separator", SEPARATORS)
@given(text=st.text('a1",\t| \n', max_size=30))
@settings(max_examples=100, deadline=None)
def test_any_text_is_split_as_csv_splits_it(place: Callable[..., Path], separator: str, text: str) -> None:
    # a line break at the very end of a quote that never closes is the only thing csv sees differently
    text = text.rstrip("\n")
    found = [(row.line, row.last_line, row.cells) for row in read(place, text, separator)]
    assert found == rows_of_csv(text, separator)


@pytest.mark.parametrize("edition", ["2017", "2021"])
def test_editions_without_quoting_keep_every_quote(edition: str, place: Callable[..., Path]) -> None:
    sign = "\t" if edition == "2017" else "|"
    reader = Reader(place(f'a1{sign}"x\na2{sign}"y" ""z"""\n'), Task.CAPTIONS, edition)
    assert [row.cells for row in reader.rows()] == [["a1", '"x'], ["a2", '"y" ""z"""']]


def test_a_quote_that_never_closes_is_one_finding_and_the_next_known_id_is_read(
    place: Callable[..., Path],
) -> None:
    text = 'ID,Caption\na1,"x\nmore\na2,y\na3,"z"\n'
    reader = Reader(place(text), Task.CAPTIONS, "2024", Expected.of(["a1", "a2", "a3"]))
    rows = list(reader.rows())
    assert [(row.line, row.cells, row.closed) for row in rows] == [
        (2, ["a1", "x\nmore"], False),
        (4, ["a2", "y"], True),
        (5, ["a3", "z"], True),
    ]
    assert [(issue.code, issue.line, issue.column) for issue in reader.findings.issues] == [("RUN112", 2, 4)]


def test_without_ids_everything_behind_an_open_quote_belongs_to_it(place: Callable[..., Path]) -> None:
    reader = Reader(place('a1,"x\na2,y\n'), Task.CAPTIONS, "2024")
    assert [(row.cells, row.closed) for row in reader.rows()] == [(["a1", "x\na2,y"], False)]


COLUMNS = [
    ("a1,xyz", 2, 6),
    ('"a1",xyz', 2, 8),
    ('a1,"xyz"', 2, 7),
    ('a1,"""yz"', 2, 8),
    ("é1,xyz", 0, 4),
]


@pytest.mark.parametrize(("line", "offset", "column"), COLUMNS)
def test_the_column_of_a_character_of_the_second_cell(
    line: str, offset: int, column: int, place: Callable[..., Path]
) -> None:
    (row,) = read(place, line, ",")
    assert row.column(offset) == column


@pytest.mark.parametrize(
    ("line", "quoted"), [("a1,x", False), ('a1,"x"', True), ('"a1",x', False), ("a1", False)]
)
def test_whether_the_second_cell_is_in_quotes(line: str, quoted: bool, place: Callable[..., Path]) -> None:
    (row,) = read(place, line, ",")
    assert row.quoted is quoted


SEPARATOR_FOUND = [
    ("2023", "a1\tx, y\na2\tz", "\t", None),
    ("2023", "a1,x | y\na2,z", ",", None),
    ("2024", "a1\nb2,x", ",", None),
    ("2024", "a1\nb2", ",", None),
    ("2024", "a1\tx\na2\ty", "\t", "Cells are split by a tab. Edition 2024 uses a comma."),
    ("2024", "a1|x\na2|y", "|", "Cells are split by '|'. Edition 2024 uses a comma."),
    ("2021", "a1,x\na2,y", ",", "Cells are split by a comma. Edition 2021 uses '|'."),
    ("2017", "a1;x\na2;y", ";", "Cells are split by a semicolon. Edition 2017 uses a tab."),
    (
        "radcap",
        "a1;x\na2;y",
        ";",
        "Cells are split by a semicolon. Edition radcap uses a comma or a tab or '|'.",
    ),
]


@pytest.mark.parametrize(("edition", "text", "separator", "said"), SEPARATOR_FOUND)
def test_the_separator_is_the_editions_or_the_one_most_lines_have(
    edition: str, text: str, separator: str, said: str | None, place: Callable[..., Path]
) -> None:
    reader = Reader(place(text), Task.CAPTIONS, edition)
    assert {row.separator for row in reader.rows()} == {separator}
    messages = [issue.message for issue in reader.findings.issues if issue.code == "RUN111"]
    assert messages == ([] if said is None else [said])


MARKS = [
    ("2017", "takes it for a part of the first id", Level.ERROR),
    ("2024", "reads it as a part of the first cell", Level.WARNING),
    ("2026", "then misreads the header", Level.ERROR),
    ("radcap", "passes over it", Level.INFO),
]


@pytest.mark.parametrize(("edition", "effect", "level"), MARKS)
def test_what_an_edition_makes_of_a_byte_order_mark(
    edition: str, effect: str, level: Level, place: Callable[..., Path]
) -> None:
    reader = Reader(place("\ufeffID,CUIs\na1,C1\n"), Task.CONCEPTS, edition)
    list(reader.rows())
    (issue,) = [one for one in reader.findings.issues if one.code == "RUN106"]
    assert issue.message == f"The file starts with a byte-order mark. Edition {edition} {effect}."
    assert issue.level is level


def test_a_byte_that_is_no_utf8_is_placed_by_line_column_and_offset(place: Callable[..., Path]) -> None:
    data = "\ufeffID,Caption\nné1,x".encode() + b"\xe9\n"
    reader = Reader(place(data), Task.CAPTIONS, "2024")
    assert [row.cells[1] for row in reader.rows()] == ["x\udce9"]
    (issue,) = [one for one in reader.findings.issues if one.code == "RUN105"]
    assert (issue.line, issue.column) == (2, 6)
    assert issue.message == f"Byte 0xE9 at offset {data.index(0xE9)} (line 2). It is not UTF-8."


def test_utf16_is_read_and_named(place: Callable[..., Path]) -> None:
    reader = Reader(place("ID,Caption\na1,é\n".encode("utf-16")), Task.CAPTIONS, "2024")
    assert [row.cells for row in reader.rows()] == [["a1", "é"]]
    (issue,) = [one for one in reader.findings.issues if one.code == "RUN105"]
    assert "UTF-16" in issue.message


@pytest.mark.parametrize("sign", ["\t", "|", ";"])
def test_commas_in_captions_are_not_mistaken_for_the_separator_when_the_ids_are_known(
    sign: str, check: Callable[..., Validation]
) -> None:
    lines = ("ID~Caption", "a1~chest, left, and right", "a2~a mass, round")
    found = check("\n".join(lines).replace("~", sign), "2024", "captions")
    assert [one.code for one in found.issues if one.level is Level.ERROR] == ["RUN111"]


def test_a_blank_line_inside_a_caption_is_refused_by_the_check_of_2026_alone(
    check: Callable[..., Validation],
) -> None:
    text = 'ID,Caption\na1,"x\n\ny"\na2,z\n'
    assert check(text, "2025", "captions").ok
    assert "RUN201" not in check(text, "2025", "captions").counts
    assert check(text, "2026", "captions").counts["RUN201"] == 1
