"""Text tables: the quick reader and the exact one agree, and nothing odd goes unsaid."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from radcap.core import Level
from radcap.datasets.findings import Findings
from radcap.datasets.text_tables.files import CsvFile, read_csv, read_csvs
from radcap.datasets.text_tables.writing import Form, write_csv

if TYPE_CHECKING:
    from pathlib import Path


def read(folder: Path, data: bytes, name: str = "train_captions.csv") -> tuple[CsvFile, Findings]:
    path = folder / name
    path.write_bytes(data)
    findings = Findings()
    return read_csv(path, findings), findings


def rows(table: CsvFile) -> list[tuple[str, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.mark.parametrize(
    ("data", "names", "wanted", "lines"),
    [
        (b"ID,Caption\na1,x\na2,y\n", ("id", "caption"), [("a1", "x"), ("a2", "y")], [2, 3]),
        (b"\xef\xbb\xbfID,Caption\na1,x\n", ("id", "caption"), [("a1", "x")], [2]),
        (b"ID\tcuis\r\na1\tC1;C2\r\n", ("id", "cuis"), [("a1", "C1;C2")], [2]),
        (b'a1\tx, y | z\na2\t"half\n', (), [("a1", "x, y | z"), ("a2", '"half')], [1, 2]),
        (b'a1,"x\ty"\n', (), [("a1", "x\ty")], [1]),
        (b"a1|x, y\n", (), [("a1", "x, y")], [1]),
        (b'ID,Caption\na1,"x\ny"\na2,z', ("id", "caption"), [("a1", "x\ny"), ("a2", "z")], [2, 4]),
        (
            b'ID,Caption\na1,"x\r\ny\rz"\na2,z\n',
            ("id", "caption"),
            [("a1", "x\r\ny\rz"), ("a2", "z")],
            [2, 5],
        ),
        (b"ID,Caption\ra1,x\ra2,y\r", ("id", "caption"), [("a1", "x"), ("a2", "y")], [2, 3]),
        (b'ID,Caption\na1,"=1+1"\n', ("id", "caption"), [("a1", "=1+1")], [2]),
        (b"ID,Caption\na1,NA\na2,\n", ("id", "caption"), [("a1", "NA"), ("a2", "")], [2, 3]),
        (
            b" ID , PMCID ,Attribution\na1,PMC1,x\n",
            ("id", "pmcid", "attribution"),
            [("a1", "PMC1", "x")],
            [2],
        ),
        (b",ID,Caption\n0,a1,x\n", ("", "id", "caption"), [("0", "a1", "x")], [2]),
        (b"ID,Caption\n", ("id", "caption"), [], []),
        (b"a1\na2\n", (), [("a1",), ("a2",)], [1, 2]),
    ],
)
def test_every_form_of_a_good_table_is_read_as_it_stands(
    tmp_path: Path, data: bytes, names: tuple[str, ...], wanted: list[tuple[str, ...]], lines: list[int]
):
    table, findings = read(tmp_path, data)
    assert (table.names, rows(table), list(table.lines)) == (names, wanted, lines)
    assert len(table) == len(wanted)
    assert not findings.findings


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"ID,Caption\na1,x\na2,caf\xe9\n", "RUN105", 3),  # Latin-1
        ("ID,Caption\na1,x\n".encode("utf-16"), "RUN105", 1),
        (b"ID,Caption\na1,x\0y\n", "RUN115", 2),
        (b'ID,Caption\na1,"x\na2,y\na3,z\n', "RUN112", 2),  # a quote that never closes
        (b'ID,Caption\na1,"x', "RUN112", 2),
        (b'ID,Caption\na1,"x\na2,"y"\n', "RUN112", 2),  # a quote that closes in another row
        (b"ID,Caption\na1,x\na2,y,z\n", "DAT122", 3),
        (b"ID,PMCID,Attribution\na1,PMC1\n", "DAT122", 2),
        (b"ID,Caption\na1," + b"x" * 200_000 + b"\0\n", "RUN113", 2),  # too long for the exact reader
        (b"", "RUN102", 0),
        (b"PK\x03\x04rest of a zip", "DAT104", 0),
        (b"PAR1rest", "DAT104", 0),
        (b"\x1f\x8brest", "DAT104", 0),
    ],
)
def test_what_is_wrong_with_a_table_is_an_error_with_its_line(
    tmp_path: Path, data: bytes, code: str, line: int
):
    _, findings = read(tmp_path, data)
    found = [one for one in findings.errors if one.issue.code == code]
    assert found, findings.findings
    assert (found[0].file, found[0].issue.line) == ("train_captions.csv", line)


def test_rows_around_a_broken_one_are_still_read(tmp_path: Path):
    table, findings = read(tmp_path, b'ID,Caption\na1,"x\na2,y\na3,caf\xe9\na4,z\n')
    assert [row[0] for row in rows(table)] == ["a1", "a2", "a3", "a4"]
    assert set(findings.counts) == {"RUN112", "RUN105"}


def test_a_row_without_its_second_cell_is_an_image_without_labels(tmp_path: Path):
    table, findings = read(tmp_path, b"a1\tC1\na2\n")
    assert rows(table) == [("a1", "C1"), ("a2", "")]
    assert not findings.findings


def test_a_blank_line_is_said_and_shifts_no_row(tmp_path: Path):
    table, findings = read(tmp_path, b"ID,Caption\na1,x\n\na2,y\n")
    assert (rows(table), list(table.lines)) == ([("a1", "x"), ("a2", "y")], [2, 4])
    assert [one.issue.code for one in findings.findings] == ["RUN201"]


@pytest.mark.parametrize("size", [1_000_000, 5_000_000])
def test_a_cell_of_megabytes_is_read_whole(tmp_path: Path, size: int):
    table, findings = read(tmp_path, b"ID,Caption\na1," + b"x" * size + b"\na2,y\n")
    assert [len(row[1]) for row in rows(table)] == [size, 1]
    assert not findings.findings


def test_a_column_is_found_by_any_of_its_names(tmp_path: Path):
    table, _ = read(tmp_path, b"ID,Caption\na1,x\n")
    assert table.column("captions", "caption") == pa.array(["x"])
    assert table.column("cuis") is None
    assert table.spelled == ("ID", "Caption")
    assert len(CsvFile("none", (), (), ())) == 0


def test_several_tables_are_read_as_one_by_one(tmp_path: Path):
    contents = {"a.csv": b"ID,Caption\na1,x\n", "b.csv": b"ID,Caption\nb1,caf\xe9\n", "c.csv": b""}
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    findings = Findings()
    tables = read_csvs({name: tmp_path / name for name in contents}, findings)
    assert {name: len(table) for name, table in tables.items()} == {"a.csv": 1, "b.csv": 1, "c.csv": 0}
    assert [one.file for one in findings.findings] == ["b.csv", "c.csv"]  # in the order asked for


_CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(_CELLS, min_size=1, max_size=8))
def test_quoted_cells_come_back_as_written_and_as_python_reads_them(tmp_path: Path, cells: list[str]):
    path = tmp_path / "train_captions.csv"
    wanted = [(f"img_{place}", cell) for place, cell in enumerate(cells)]
    write_csv(path, [("ID", "Caption"), *wanted], Form())
    findings = Findings()
    assert rows(read_csv(path, findings)) == wanted
    assert not findings.errors
    text = path.read_bytes().decode()
    assert [tuple(row) for row in csv.reader(io.StringIO(text, newline=""))][1:] == wanted


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=80) | st.text('a1,"\n\r\t|;ID', max_size=60).map(str.encode))
def test_no_bytes_make_a_traceback(tmp_path: Path, data: bytes):
    table, findings = read(tmp_path, data)
    assert all(len(column) == len(table) for column in table.columns)
    assert len(table.lines) == len(table)
    assert all(one.issue.level in Level for one in findings.findings)
