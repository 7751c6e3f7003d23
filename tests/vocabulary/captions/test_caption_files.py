"""Caption files in every form that ten years of releases had, and everything that can be wrong with them."""

from __future__ import annotations

import csv
import io
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from radcap.core import InputError, Level
from radcap.formats.id_shapes import id_shape
from radcap.vocabulary.captions import reading
from radcap.vocabulary.captions.codes import CATALOGUE
from radcap.vocabulary.captions.columns import Columns, columns_of, start_of
from radcap.vocabulary.captions.reading import CaptionFile, CaptionFindings, open_captions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ONE = "CT of the chest"
TWO = 'mass, "round", left'


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    def written(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def read(path: Path) -> list[tuple[str, str]]:
    return [(one.id, one.text) for one in open_captions(path).captions()]


def check(path: Path) -> tuple[int, list[tuple[str, int]]]:
    """How many captions, and which findings on which lines."""
    findings = CaptionFindings()
    n = open_captions(path).check(findings)
    return n, [(one.issue.code, one.issue.line) for one in findings.findings]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("captions.csv", 'ID,Caption\na1,CT of the chest\na2,"mass, ""round"", left"\n'),
        ("captions.csv", '\ufeffid,caption\r\na1,CT of the chest\r\na2,"mass, ""round"", left"\r\n'),
        ("captions.csv", 'a1,CT of the chest\na2,"mass, ""round"", left"'),
        ("captions.tsv", 'a1\tCT of the chest\na2\tmass, "round", left\n'),
        ("captions.txt", 'a1|CT of the chest\na2|mass, "round", left\n'),
        ("captions.txt", 'ID\tCaption\na1\tCT of the chest\na2\t"mass, ""round"", left"\n'),
        ("metadata.csv", 'caption,file_name,licence\nCT of the chest,a1,x\n"mass, ""round"", left",a2,y\n'),
        ("reports.csv", 'report,uid\nCT of the chest,a1\n"mass, ""round"", left",a2\n'),
        ("captions.csv", 'ID,Comment\na1,CT of the chest\na2,"mass, ""round"", left"\n'),
        ("captions.csv", 'ID;Caption\na1;CT of the chest\na2;"mass, ""round"", left"\n'),
        ("captions.csv", 'ID,Caption\n\n a1 ,CT of the chest\n\na2,"mass, ""round"", left"\n'),
    ],
    ids=[
        *("comma", "mark and CRLF", "no header", "2017", "2021", "tab with header", "more columns"),
        *("captions first", "another name", "semicolon", "blank lines"),
    ],
)
def test_every_dialect_is_read(write: Callable[[str, str], Path], name: str, content: str) -> None:
    path = write(name, content)
    assert read(path) == [("a1", ONE), ("a2", TWO)]
    n, found = check(path)
    assert n == 2
    assert {code for code, _ in found} <= {"RUN106", "RUN111", "RUN201"}


def test_utf_16_of_a_spreadsheet_is_read_and_told(write: Callable[[str, bytes], Path]) -> None:
    path = write("captions.csv", "ID,Caption\na1,CT of the chest\n".encode("utf-16"))
    assert read(path) == [("a1", ONE)]
    assert check(path) == (1, [("RUN105", 1)])


def test_a_zip_is_read_without_being_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "captions.zip", "w") as archive:
        archive.writestr("submission.csv", "ID,Caption\na1,CT of the chest\n")
    assert read(tmp_path / "captions.zip") == [("a1", ONE)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("CT of the chest\nmass, left\n\nlast", [("1", ONE), ("2", "mass, left"), ("3", ""), ("4", "last")]),
        ("\ufeffCT of the chest\r\n", [("1", ONE)]),
        ("", []),
    ],
    ids=["lines", "mark", "empty"],
)
def test_a_text_file_without_columns_is_one_text_a_line(
    write: Callable[[str, str], Path], content: str, expected: list[tuple[str, str]]
) -> None:
    path = write("notes.txt", content)
    assert read(path) == expected
    assert check(path) == (len(expected), [])


def test_lines_that_cannot_be_read_are_all_named(write: Callable[[str, bytes], Path]) -> None:
    path = write("notes.txt", b"good\nb\xe9d\n" + b"x" * 200_000 + b"\nbad \xff too\n")
    assert check(path) == (1, [("RUN105", 2), ("RUN113", 3), ("RUN105", 4)])
    findings = CaptionFindings()
    CaptionFile(path, lines=True, name="stdin").check(findings)
    assert str(findings.findings[0]).startswith("stdin:2:2: RUN105 Byte 0xE9 at offset 6 (line 2).")


def test_every_problem_of_a_table_is_found_with_its_line(write: Callable[[str, bytes], Path]) -> None:
    rows = [
        b"ID,Caption",
        b"a1,one",
        b"a2",
        b",two",
        b"a1,again",
        b"a3,b\xe9d",
        b"a4,bare, comma",
        b"a5,five",
        b"a1,a third time",
    ]
    n, found = check(write("captions.csv", b"\n".join(rows)))
    assert n == 6
    assert sorted(found, key=lambda one: one[1]) == [
        ("CAP102", 3),
        ("CAP106", 4),
        ("CAP105", 5),
        ("RUN105", 6),
        ("CAP104", 7),
        ("CAP105", 9),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Caption\nlung\n", "ends with cell 1. The id belongs into cell 2."),
        ("ID,Caption\na\n", "ends with cell 1. The caption belongs into cell 2."),
    ],
    ids=["id", "caption"],
)
def test_a_short_row_names_what_it_lacks(write: Callable[[str, str], Path], text: str, said: str) -> None:
    findings = CaptionFindings()
    open_captions(write("captions.csv", text)).check(findings)
    (error,) = findings.errors
    assert said in error.issue.message


def test_a_repeated_id_names_both_lines(write: Callable[[str, str], Path]) -> None:
    findings = CaptionFindings()
    open_captions(write("captions.csv", "ID,Caption\na,x\nb,y\na,z\n")).check(findings)
    (one,) = findings.findings
    assert one.issue.level is Level.ERROR
    assert one.issue.message == "Id a is on lines 2 and 4. A run has one row per image."


def test_a_bare_comma_in_the_last_column_is_joined_again_with_a_warning(
    write: Callable[[str, str], Path],
) -> None:
    path = write("captions.csv", "ID,Caption\na1,mass, left, round\n")
    assert read(path) == [("a1", "mass, left, round")]
    findings = CaptionFindings()
    open_captions(path).check(findings)
    assert [one.issue.level for one in findings.findings] == [Level.WARNING]


def test_a_bare_comma_elsewhere_leaves_open_which_cell_is_the_caption(
    write: Callable[[str, str], Path],
) -> None:
    path = write("captions.csv", "ID,Caption,Licence\na1,mass, left,CC0\na2,fine,CC0\na3,short\n")
    assert check(path) == (2, [("CAP103", 2)])
    assert read(path) == [("a2", "fine"), ("a3", "short")]


@pytest.mark.parametrize("header", ["ID,CUIs", "ID,Split,Licence", "id,concept"])
def test_a_table_without_captions_is_refused(write: Callable[[str, str], Path], header: str) -> None:
    n, found = check(write("concepts.csv", f"{header}\na,C0040405\n"))
    assert (n, found) == (0, [("CAP101", 1)])


def test_a_quote_that_never_closes_costs_one_row(write: Callable[[str, str], Path]) -> None:
    path = write("captions.csv", 'ID,Caption\nimg_1,"open\nimg_2,fine\nimg_3,fine too\n')
    assert read(path)[1:] == [("img_2", "fine"), ("img_3", "fine too")]
    assert ("RUN112", 2) in check(path)[1]


def test_a_caption_of_several_lines_is_one(write: Callable[[str, str], Path]) -> None:
    assert read(write("captions.csv", 'ID,Caption\na1,"one\ntwo"\na2,three\n')) == [
        ("a1", "one\ntwo"),
        ("a2", "three"),
    ]


def test_an_empty_table_and_one_with_a_header_alone(write: Callable[[str, str], Path]) -> None:
    assert check(write("captions.csv", "")) == (0, [("RUN102", 0)])
    assert check(write("captions.csv", "ID,Caption\n")) == (0, [])


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No file at"):
        open_captions(tmp_path / "absent.csv")


def test_progress_is_told(write: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_TOLD", 2)
    told: list[tuple[str, int]] = []
    path = write("captions.csv", "".join(f"a{n},text\n" for n in range(5)))
    open_captions(path).check(CaptionFindings(), lambda *both: told.append(both))
    assert told == [("reading", 0), ("reading", 2), ("reading", 4)]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["ID", "Caption"], Columns(0, 1, 2, headed=True)),
        (["Caption", "other"], Columns(1, 0, 2, headed=True)),
        (["a", "text", "name"], Columns(2, 1, 3, headed=True)),
        (["id"], None),
        (["a1", "CT"], Columns()),
        (["a1", "CT", "more"], Columns()),
        (["a1", "Report"], Columns()),
    ],
)
def test_columns(cells: list[str], expected: Columns | None) -> None:
    assert columns_of(cells) == expected


@pytest.mark.parametrize(
    ("data", "headed", "parted", "stem"),
    [
        (b"ID,Caption\nimg_12,x", True, False, "img_"),
        (b"PMC12_7\tx", False, True, "PMC12_"),
        (b"", False, False, ""),
        (b"id", False, False, "id"),
        (b'"id"|"caption"\n"a7"|"b"', True, True, "a"),
    ],
)
def test_the_start_of_a_file(data: bytes, headed: bool, parted: bool, stem: str) -> None:
    start = start_of(data)
    assert (start.headed, start.parted) == (headed, parted)
    is_id = id_shape(start.first_id)
    assert is_id(f"{stem}7") == bool(stem)
    assert not is_id("other7x")


def test_codes_are_in_order_and_their_sentences_end() -> None:
    codes = [one.code for one in CATALOGUE]
    assert codes == sorted(set(codes))
    assert all(one.message.endswith(".") and one.hint.endswith(".") for one in CATALOGUE)


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(texts=st.lists(TEXT, min_size=1, max_size=8))
def test_what_csv_writes_comes_back_as_it_was(tmp_path: Path, texts: list[str]) -> None:
    written = io.StringIO()
    rows = [(f"img_{n}", text) for n, text in enumerate(texts)]
    csv.writer(written, lineterminator="\n").writerows([("ID", "Caption"), *rows])
    path = tmp_path / "captions.csv"
    path.write_text(written.getvalue(), encoding="utf-8", newline="")
    assert read(path) == rows


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_and_never_raise(tmp_path: Path, data: bytes) -> None:
    for name in ("captions.csv", "captions.txt"):
        path = tmp_path / name
        path.write_bytes(data)
        n, _ = check(path)
        assert n == len(read(path))
