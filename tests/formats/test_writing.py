"""What radcap writes passes the check of the edition it was written for."""

from __future__ import annotations

import zipfile
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import Run, Task, UsageError
from radcap.formats import DIALECTS, Expected, Header, dialect, read_run, replacing, write_lines, write_run
from radcap.formats.cells import clean_caption, clean_concepts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

IDS = ["x_test_3", "x_test_1", "x_test_2"]
EDITIONS_OF = {task: [edition for edition, held in DIALECTS if held is task] for task in Task}

CUI = st.integers(0, 9_999_999).map(lambda number: f"C{number:07}")
SPELLED = st.one_of(CUI, CUI.map(str.lower), CUI.map(" {} ".format), st.just(""), st.lists(CUI).map(" ".join))
CONCEPTS = st.one_of(st.none(), st.lists(SPELLED, max_size=5).map(";".join))

FORMULAS = st.sampled_from(
    ["=1+1", "-2", "+3", "@SUM(A1)", "\t=cmd|' /C calc'!A0", '=HYPERLINK("x")', "'x", "#"]
)
NASTY = st.text("a,;|\t\"' \r\n\u2028\x0c\x85é日=", max_size=12)
ANY_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
CAPTIONS = st.one_of(FORMULAS, NASTY, ANY_TEXT).filter(lambda text: any(letter.isalnum() for letter in text))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root, numbers = tmp_path_factory.mktemp("written"), count()
    return lambda ending: root / str(next(numbers)) / f"submission.{ending}"


def read_back(run: Run, edition: str, path: Path) -> dict[str, str | None]:
    """The cells of a written run, read strictly, after making sure that nothing in it is an error."""
    expected = Expected.of(IDS)
    found, validation = read_run(
        write_run(run, path, edition=edition, order=IDS),
        run.task,
        edition=edition,
        expected=expected,
        strict=True,
    )
    assert validation.ok, validation.issues
    return dict(found.cells)


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def ending_of(edition: str, task: Task) -> str:
    return "zip" if dialect(edition, task).zipped else "csv"


@pytest.mark.parametrize("edition", EDITIONS_OF[Task.CONCEPTS])
@given(cells=st.fixed_dictionaries(dict.fromkeys(sorted(IDS), CONCEPTS)))
@settings(max_examples=25, deadline=None)
def test_any_concept_run_is_read_back_as_it_was_meant(
    edition: str, cells: dict[str, str | None], out: Callable[[str], Path]
) -> None:
    path = out(ending_of(edition, Task.CONCEPTS))
    found = read_back(Run(Task.CONCEPTS, cells), edition, path)
    assert found == {image_id: clean_concepts(cell or "") for image_id, cell in cells.items()}
    assert list(found) == IDS


@pytest.mark.parametrize("edition", EDITIONS_OF[Task.CAPTIONS])
@given(cells=st.fixed_dictionaries(dict.fromkeys(sorted(IDS), CAPTIONS)))
@settings(max_examples=40, deadline=None)
def test_any_caption_run_is_read_back_as_it_was_meant(
    edition: str, cells: dict[str, str | None], out: Callable[[str], Path]
) -> None:
    form = dialect(edition, Task.CAPTIONS)
    found = read_back(Run(Task.CAPTIONS, cells), edition, out(ending_of(edition, Task.CAPTIONS)))
    meant = {image_id: clean_caption(cell or "") for image_id, cell in cells.items()}
    if not form.quoting:  # the separator has no way to stand in such a file
        meant = {image_id: cell.replace(form.separators[0], " ") for image_id, cell in meant.items()}
    assert found == meant


@pytest.mark.parametrize("ending", ["csv", "zip"])
@given(cells=st.fixed_dictionaries(dict.fromkeys(IDS, CAPTIONS)))
@settings(max_examples=10, deadline=None)
def test_the_same_run_gives_the_same_bytes(
    ending: str, cells: dict[str, str | None], out: Callable[[str], Path]
) -> None:
    run = Run(Task.CAPTIONS, cells)
    assert write_run(run, out(ending)).read_bytes() == write_run(run, out(ending)).read_bytes()


ROWS = [
    ("2017", Task.CONCEPTS, "C1;c2", "a\tC1;C2"),
    ("2017", Task.CONCEPTS, None, "a\t"),
    ("2018", Task.CAPTIONS, 'x\ty "z"\nu', 'a\tx y "z" u'),
    ("2021", Task.CAPTIONS, "x|y, z", "a|x y, z"),
    ("2023", Task.CAPTIONS, "x, y|z\tu", 'a,"x, y|z\tu"'),
    ("2025", Task.CAPTIONS, 'say "x"', 'a,"say ""x"""'),
    ("2026", Task.CAPTIONS, "=1+1", "a,=1+1"),
    ("2026", Task.CAPTIONS, " x\r\n\ny ", "a,x y"),
    ("2026", Task.CONCEPTS, None, "a,"),
    ("2026", Task.CONCEPTS, "lung, heart", 'a,"lung, heart"'),
]


@pytest.mark.parametrize(("edition", "task", "cell", "line"), ROWS)
def test_how_an_edition_writes_a_row(
    edition: str, task: Task, cell: str | None, line: str, tmp_path: Path
) -> None:
    path = write_run(Run(task, {"a": cell}), tmp_path / "run.csv", edition=edition)
    assert path.read_bytes().decode().splitlines()[-1] == line
    assert path.read_bytes().endswith(f"{line}\n".encode())


@pytest.mark.parametrize(("edition", "task"), DIALECTS)
def test_the_header_stands_where_the_edition_knows_one(edition: str, task: Task, tmp_path: Path) -> None:
    text = write_run(Run(task, {"a": "x"}), tmp_path / "run.csv", edition=edition).read_text()
    form = dialect(edition, task)
    header = "" if form.header is Header.NONE else ",".join(form.columns) + "\n"
    assert text == f"{header}a{form.separators[0]}x\n"


def test_an_id_with_a_separator_or_a_break_is_quoted(tmp_path: Path) -> None:
    run = Run(Task.CONCEPTS, {"a,1": "C1", "b\n2": "C2"})
    path = write_run(run, tmp_path / "run.csv", edition="2025")
    assert list(read_run(path, Task.CONCEPTS, edition="2025")[0].cells) == ["a,1", "b\n2"]


def test_rows_follow_the_order_and_ids_outside_it_come_last(tmp_path: Path) -> None:
    run = Run(Task.CONCEPTS, {"z": "C1", "b": "C2", "a": "C3"})
    path = write_run(run, tmp_path / "run.csv", order=["a", "absent", "b"])
    assert path.read_text() == "ID,CUIs\na,C3\nb,C2\nz,C1\n"


def test_a_zip_holds_submission_csv_alone(tmp_path: Path) -> None:
    path = write_run(Run(Task.CONCEPTS, {"a": "C1"}), tmp_path / "Run.ZIP")
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["submission.csv"]
        assert archive.read("submission.csv") == b"ID,CUIs\na,C1\n"


def test_missing_folders_are_made_and_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "run.csv"
    write_lines(["old"], path)
    write_lines(["new"], path)
    assert path.read_text() == "new\n"
    assert names(path.parent) == ["run.csv"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_bytes_that_were_no_utf8_go_out_as_they_came_in(tmp_path: Path) -> None:
    assert write_lines(["caf\udce9"], tmp_path / "run.csv").read_bytes() == b"caf\xe9\n"


def breaking() -> Iterator[str]:
    yield "first"
    raise RuntimeError("the model fell over")


@pytest.mark.parametrize("name", ["run.csv", "run.zip"])
def test_lines_that_break_off_leave_nothing(name: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="fell over"):
        write_lines(breaking(), tmp_path / name)
    assert names(tmp_path) == []


def test_a_write_that_fails_leaves_the_old_file_and_no_temporary_one(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("old\n")

    def write_half() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_half()
    assert path.read_text() == "old\n"
    assert names(tmp_path) == ["run.csv"]


def test_a_target_that_cannot_be_replaced_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "run.csv" / "inside").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"run\.csv is no regular file"):
        write_lines(["x"], tmp_path / "run.csv")
    assert names(tmp_path) == ["run.csv"]
