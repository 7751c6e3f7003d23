"""Repair: what has one right answer is given, everything else stays as it came, nothing is invented."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import InputError, Task, UsageError
from radcap.formats import CATALOGUE, Expected, Repair, fix_run, read_run
from radcap.formats.cells import clean_caption
from radcap.formats.codes import CODES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

C, K = Task.CONCEPTS, Task.CAPTIONS


@pytest.fixture(scope="module")
def fix(place: Callable[..., Path]) -> Callable[..., tuple[Repair, Path]]:
    """Repair a file against a few ids; the findings, and where the copy is."""
    numbers = count()

    def run(
        content: str | bytes, edition: str, task: str, *, ids: str = "a1\na2\n", name: str = "out.csv"
    ) -> tuple[Repair, Path]:
        path = place(content)
        out = path.parent / str(next(numbers)) / name
        return fix_run(path, out, task, ids=place(ids, "ids.csv"), edition=edition), out

    return run


class Slip(NamedTuple):
    code: str
    edition: str
    task: Task
    before: str | bytes
    after: str


CUIS, CAPTION = "ID,CUIs\n", "ID,Caption\n"


def zipped(name: str, text: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, text)
    return packed.getvalue()


SLIPS = [
    Slip("RUN103", "2024", C, zipped("submission.csv", "ID,CUIs\na1,C1\na2,C2\n"), "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN104", "radcap", C, zipped("run.csv", "ID,CUIs\na1,C1\na2,C2\n"), "ID,CUIs\na1,C1\na2,C2\n"),
    Slip(
        "RUN105", "2026", K, b"ID,Caption\na1,caf\xe9 \x96 x\na2,y\n", "ID,Caption\na1,café \u2013 x\na2,y\n"
    ),
    Slip("RUN105", "2026", C, b"ID,CUIs\na1,C1;\xa0C2\na2,C2\n", "ID,CUIs\na1,C1;C2\na2,C2\n"),
    Slip(
        "RUN105",
        "2024",
        K,
        CAPTION.encode("utf-16") + "a1,é\na2,y\n".encode("utf-16-le"),
        "ID,Caption\na1,é\na2,y\n",
    ),
    Slip("RUN106", "2026", C, "\ufeffID,CUIs\na1,C1\na2,C2\n", "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN106", "2021", C, "\ufeffa1|C1\na2|C2\n", "a1|C1\na2|C2\n"),
    Slip("RUN107", "2026", C, "a1,C1\na2,C2\n", "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN108", "2026", C, "id,cuis\na1,C1\na2,C2\n", "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN108", "2024", K, "image,text,\na1,x\na2,y\n", "ID,Caption\na1,x\na2,y\n"),
    Slip("RUN109", "2017", C, "ID\tCUIs\na1\tC1\na2\tC2\n", "a1\tC1\na2\tC2\n"),
    Slip("RUN111", "2026", C, "ID\tCUIs\na1\tC1;C2\na2\t\n", "ID,CUIs\na1,C1;C2\na2,\n"),
    Slip("RUN111", "2026", C, "ID;CUIs\na1;C1;C2\na2;\n", "ID,CUIs\na1,C1;C2\na2,\n"),
    Slip("RUN111", "2021", K, 'a1,"x, y"\na2,y\n', "a1|x, y\na2|y\n"),
    Slip("RUN201", "2026", C, "ID,CUIs\n\na1,C1\n \na2,C2\n\n", "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN201", "2026", K, 'ID,Caption\na1,"x\n\ny"\na2,y\n', "ID,Caption\na1,x y\na2,y\n"),
    Slip("RUN203", "2024", K, "a1\na2,y\n", "ID,Caption\na1,\na2,y\n"),
    Slip("RUN204", "2026", C, "ID,CUIs\n a1,C1\na2\t,C2\n", "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN208", "2026", C, "ID,CUIs\na2,C2\na1,C1\n", "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN208", "2017", C, "a2\tC2\na1\tC1\n", "a1\tC1\na2\tC2\n"),
    Slip("RUN211", "2026", C, "ID,CUIs\na1.jpg,C1\na2.PNG,C2\n", "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN302", "2026", C, "ID,CUIs\na1,C1;C2;C1\na2,C2\n", "ID,CUIs\na1,C1;C2\na2,C2\n"),
    Slip("RUN303", "2026", C, "ID,CUIs\na1,C1;;C2;\na2,;\n", "ID,CUIs\na1,C1;C2\na2,\n"),
    Slip("RUN305", "2026", C, "ID,CUIs\na1,c1;C2\na2,C2\n", "ID,CUIs\na1,C1;C2\na2,C2\n"),
    Slip("RUN306", "2026", C, "ID,CUIs\na1, C1\na2,C2 \n", "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN307", "2026", C, "ID,CUIs\na1,C1 C2|C3\na2,C2/C3\n", "ID,CUIs\na1,C1;C2;C3\na2,C2;C3\n"),
    Slip("RUN307", "2026", C, "ID,CUIs\na1,C1,C2\na2,C2,\n", "ID,CUIs\na1,C1;C2\na2,C2\n"),
    Slip("RUN308", "2026", C, "ID,CUIs\na1,c1;C1\na2,C2\n", "ID,CUIs\na1,C1\na2,C2\n"),
    Slip("RUN311", "2026", C, "ID,CUIs\na1\na2,C2\n", "ID,CUIs\na1,\na2,C2\n"),
    Slip("RUN402", "2026", K, "ID,Caption\na1,x, y\na2,y\n", 'ID,Caption\na1,"x, y"\na2,y\n'),
    Slip("RUN402", "2026", K, 'ID,Caption\na1,"x, y"z \na2,y\n', 'ID,Caption\na1,"x, yz"\na2,y\n'),
    Slip("RUN403", "2025", K, "ID,Caption\na1,x, y\na2,y\n", 'ID,Caption\na1,"x, y"\na2,y\n'),
    Slip("RUN404", "2026", K, 'ID,Caption\na1,"x, z\ny"\na2,y\n', 'ID,Caption\na1,"x, z y"\na2,y\n'),
    Slip("RUN408", "2026", K, "ID,Caption\na1, x \na2,y\n", "ID,Caption\na1,x\na2,y\n"),
    Slip("RUN410", "2025", K, "a1,x\na2,y\n", "ID,Caption\na1,x\na2,y\n"),
]


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: f"{slip.code}-{slip.edition}-{slip.task}")
def test_a_slip_with_one_right_answer_is_repaired(
    slip: Slip, fix: Callable[..., tuple[Repair, Path]]
) -> None:
    repair, out = fix(slip.before, slip.edition, slip.task)
    assert out.read_text() == slip.after
    assert slip.code in repair.before.counts
    assert slip.code in repair.repaired
    assert slip.code not in repair.after.counts
    again, second = fix(slip.after, slip.edition, slip.task)
    assert second.read_text() == slip.after
    assert (again.changes, again.moved) == ((), 0)


def test_every_code_that_can_be_repaired_is_in_the_table() -> None:
    assert {slip.code for slip in SLIPS} == {code.code for code in CATALOGUE if code.fixable}


LEFT = [
    ("RUN112", "2026", K, 'ID,Caption\na1,"x\na2,y\n', 'a1,"x'),
    ("RUN202", "2026", C, "ID,CUIs\na1,C1,lung \na2,C2\n", "a1,C1,lung "),
    ("RUN202", "2026", K, 'ID,Caption\na1,"x",y\na2,y\n', 'a1,"x",y'),
    ("RUN205", "2026", C, "ID,CUIs\na1,C1\na2,C2\na9,C3\n", "a9,C3"),
    ("RUN206", "2026", C, "ID,CUIs\na1,C1\na1,C9\na2,C2\n", "a1,C9"),
    ("RUN210", "2026", C, "ID,CUIs\na1,C1\na2,C2\n ,C9\n", " ,C9"),
    ("RUN213", "2026", C, "ID,CUIs\na1,C1\nb2, C2\n", "b2, C2"),
    ("RUN304", "2026", C, "ID,CUIs\na1,lung;C1\na2,C2\n", "a1,lung;C1"),
    ("RUN405", "2026", K, "ID,Caption\na1,...\na2,y\n", "a1,..."),
    ("RUN406", "2021", K, "a1|x|y \na2|y\n", "a1|x|y "),
]


@pytest.mark.parametrize(("code", "edition", "task", "text", "line"), LEFT)
def test_what_has_no_one_answer_stays_and_is_named(
    code: str, edition: str, task: Task, text: str, line: str, fix: Callable[..., tuple[Repair, Path]]
) -> None:
    repair, out = fix(text, edition, task)
    assert line in out.read_text().split("\n")
    assert repair.after.counts[code] == repair.before.counts[code]
    assert code not in repair.repaired


def test_a_missing_image_stays_missing(fix: Callable[..., tuple[Repair, Path]]) -> None:
    repair, out = fix("ID,CUIs\na2,C2\n", "2026", C)
    assert out.read_text() == "ID,CUIs\na2,C2\n"
    assert repair.after.counts["RUN207"] == 1


def test_a_byte_without_meaning_in_windows_1252_stays(fix: Callable[..., tuple[Repair, Path]]) -> None:
    repair, out = fix(b"ID,Caption\na1,x\x81y\na2,y\xe9\n", "2026", K)
    assert out.read_bytes() == b"ID,Caption\na1,x\x81y\na2,y\xc3\xa9\n"
    assert (repair.before.counts["RUN105"], repair.after.counts["RUN105"]) == (2, 1)
    assert repair.repaired["RUN105"] == 1


def test_rows_of_nothing_but_separators_go(fix: Callable[..., tuple[Repair, Path]]) -> None:
    repair, out = fix("ID,CUIs\na1,C1\na2,C2\n,\n , ,\n", "2026", C)
    assert out.read_text() == "ID,CUIs\na1,C1\na2,C2\n"
    assert [(change.line, change.after) for change in repair.changes] == [(4, ""), (5, "")]


def test_a_row_that_cannot_be_repaired_takes_the_separator_of_the_file(
    fix: Callable[..., tuple[Repair, Path]],
) -> None:
    _, out = fix('ID\tCUIs\na1\tC1\ta "lung"\na2\tC2\n', "2026", C)
    assert out.read_text() == 'ID,CUIs\na1,C1,"a ""lung"""\na2,C2\n'


def test_a_row_without_a_known_id_is_left_alone(fix: Callable[..., tuple[Repair, Path]]) -> None:
    _, out = fix(CAPTION + "a1, x \n0,a2, y\nb2, z \n", "2026", K)
    assert out.read_text() == CAPTION + "a1,x\n0,a2, y\nb2, z \n"


def test_behind_a_quote_that_never_closes_the_rows_keep_their_order(
    fix: Callable[..., tuple[Repair, Path]],
) -> None:
    text = 'ID,Caption\na2,"open\na1,x\nz9,"closed, here"\n'
    repair, out = fix(text, "2026", K)
    assert out.read_text() == text
    assert repair.moved == 0


# What is said about it.


def test_every_change_is_listed_with_line_before_and_after(fix: Callable[..., tuple[Repair, Path]]) -> None:
    repair, _ = fix('id,Caption\na2,"x\ny"\na1.jpg,z\n', "2026", K)
    assert [(change.line, change.before, change.after) for change in repair.changes] == [
        (1, "id,Caption", "ID,Caption"),
        (2, 'a2,"x\ny"', "a2,x y"),
        (4, "a1.jpg,z", "a1,z"),
    ]
    assert repair.moved == 2


@pytest.mark.parametrize(
    ("edition", "text", "before", "after"),
    [("2026", "a1,C1\na2,C2\n", "", "ID,CUIs"), ("2017", "ID\tCUIs\na1\tC1\na2\tC2\n", "ID\tCUIs", "")],
)
def test_a_header_that_is_put_in_or_taken_out_is_a_change(
    edition: str, text: str, before: str, after: str, fix: Callable[..., tuple[Repair, Path]]
) -> None:
    (change,) = fix(text, edition, C)[0].changes
    assert (change.line, change.before, change.after) == (1, before, after)


def test_the_json_is_that_of_the_new_file_and_what_was_done(fix: Callable[..., tuple[Repair, Path]]) -> None:
    repair, _ = fix("ID,CUIs\na2,c2\na1,C1\n", "2024", C)
    value = json.loads(json.dumps(repair.to_json()))
    assert list(value) == [*repair.after.to_json(), "repaired", "moved", "line_ends", "changes"]
    assert value["ok"] is True
    assert value["repaired"] == {"RUN208": 1, "RUN305": 1}
    assert value["moved"] == 2
    assert value["changes"] == [{"line": 2, "before": "a2,c2", "after": "a2,C2"}]


def test_only_what_can_be_repaired_is_called_repaired(fix: Callable[..., tuple[Repair, Path]]) -> None:
    repair, _ = fix("ID,CUIs\na1,C1\na2,C2\n,\n", "2026", C)
    assert "RUN210" in repair.before.counts
    assert repair.repaired == {}


# What is refused.


def test_nothing_is_overwritten(place: Callable[..., Path]) -> None:
    run, ids, out = place("a1,C1\n"), place("a1\n"), place("precious", "out.csv")
    with pytest.raises(UsageError, match=r"out.csv is already there. Nothing was overwritten"):
        fix_run(run, out, C, ids=ids)
    assert out.read_text() == "precious"
    fix_run(run, out, C, ids=ids, force=True)
    assert out.read_text() == "ID,CUIs\na1,C1\n"


def test_the_run_itself_is_never_overwritten(place: Callable[..., Path]) -> None:
    run, ids = place("a1,C1\n"), place("a1\n")
    roundabout = run.parent / ".." / run.parent.name / run.name
    for out in (run, roundabout):
        with pytest.raises(UsageError, match="Nothing was overwritten"):
            fix_run(run, out, C, ids=ids, force=True)
    assert run.read_text() == "a1,C1\n"


UNREADABLE = [
    ("", "has no row to repair. run.csv holds 0 bytes."),
    ("ID,CUIs\n", "has no row to repair. Only a header was found."),
    ("\n\n", "has no row to repair. Line 1 is blank."),
    ("ID,CUIs\n,\n", "has no row to repair. 2 of 2 ids are absent"),
    ("ID,CUIs\n0,a1,C1\n1,a2,C2\n", "has no row to repair. 2 of 2 ids are absent"),
    ("ID,CUIs\nb1,C1\nb2,C2\n", "has no row to repair. 2 of 2 ids are absent"),
    ("ID,CUIs\n" + "a1,C1\n" * 2000, "cannot be read whole. More than"),
    ("ID,CUIs\na1," + "C1;" * 50_000 + "\na2,C2\n", "cannot be read whole. More than"),
    ('ID\tCUIs\nb1\tC1\na1\t"C1\na2\tC2\n', "cannot be read whole. A quote opened on line 3 never closes."),
]


@pytest.mark.parametrize(("text", "why"), UNREADABLE)
def test_a_run_that_cannot_be_read_whole_is_not_copied_in_part(
    text: str, why: str, place: Callable[..., Path]
) -> None:
    run, ids = place(text), place("a1\na2\n", "ids.csv")
    out = run.with_name("out.csv")
    with pytest.raises(InputError, match=re.escape(why)) as raised:
        fix_run(run, out, C, ids=ids)
    assert raised.value.issues
    assert not out.exists()


def test_a_run_that_is_not_there_is_refused(place: Callable[..., Path], tmp_path: Path) -> None:
    ids = place("a1\n", "ids.csv")
    for out in (tmp_path / "new.csv", place("old", "out.csv")):
        with pytest.raises(InputError, match=r"has no row to repair\. No file at"):
            fix_run(tmp_path / "absent.csv", out, C, ids=ids, force=True)


def test_an_unknown_edition_is_refused(place: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no edition"):
        fix_run(place("a1,C1\n"), tmp_path / "out.csv", C, ids=place("a1\n"), edition="1999")


# Whatever slips a run is full of.

IDS = [f"x_test_{number}" for number in range(1, 7)]
EXPECTED = Expected.of(IDS)
ID = st.sampled_from(IDS).flatmap(lambda one: st.sampled_from([one, one, f" {one}", f"{one}.jpg", f"{one} "]))
PART = st.sampled_from(["C1", "C2", "c1", " C3", "C4 ", "", "C5 c6", "C7|C8", "lung"])
CELL = st.one_of(
    st.lists(PART, max_size=5).map(";".join).map(",".__add__),
    st.lists(st.sampled_from(["C1", "c2", "C3;C4", ""]), min_size=1, max_size=3).map(
        lambda few: "," + ",".join(few)
    ),
    st.just(""),
)
UNREADABLE_CELL = st.sampled_from([",C1,lung", ",lung,,", ",C1 C2,C3 C4"])
HEADS = st.sampled_from(["ID,CUIs\n", "id,cuis\n", "\ufeffID,CUIs\n", ""])


class Messy(NamedTuple):
    """A run with slips: its rows as (id cell, rest of the line)."""

    head: str
    rows: list[tuple[str, str]]
    blanks: bool

    @property
    def text(self) -> str:
        gap = "\n\n" if self.blanks else "\n"
        return self.head + "".join(f"{image_id}{rest}{gap}" for image_id, rest in self.rows)


def key(row: tuple[str, str]) -> str:
    return row[0].strip().removesuffix(".jpg")


def messy(cell: st.SearchStrategy[str]) -> st.SearchStrategy[Messy]:
    rows = st.lists(st.tuples(ID, cell), min_size=1, max_size=6, unique_by=key)
    return st.builds(Messy, HEADS, rows, st.booleans())


def cuis(text: str) -> set[str]:
    return set(re.findall(r"C\d", text.upper()))


@pytest.mark.parametrize("edition", ["2024", "2025", "2026", "radcap"])
@given(run=messy(CELL))
@settings(max_examples=60, deadline=None)
def test_every_image_keeps_its_concepts_and_no_other_gets_any(
    edition: str, run: Messy, fix: Callable[..., tuple[Repair, Path]]
) -> None:
    repair, out = fix(run.text, edition, C, ids="\n".join(IDS), name="out.zip")
    found, _ = read_run(out, C, edition=edition, expected=EXPECTED)
    before = {key(row): (cuis(row[1]), "lung" in row[1]) for row in run.rows}
    assert {one: (cuis(cell or ""), "lung" in (cell or "")) for one, cell in found.cells.items()} == before
    left = {code for code in repair.after.counts if CODES[code].fixable} - {"RUN103"}
    assert left == set()


@given(run=messy(st.one_of(CELL, UNREADABLE_CELL)))
@settings(max_examples=60, deadline=None)
def test_rows_that_cannot_be_repaired_survive_to_the_letter(
    run: Messy, fix: Callable[..., tuple[Repair, Path]]
) -> None:
    _, out = fix(run.text, "2026", C, ids="\n".join(IDS))
    lines = out.read_text().split("\n")
    beyond = [
        f"{image_id}{rest}" for image_id, rest in run.rows if rest in {",C1,lung", ",lung,,", ",C1 C2,C3 C4"}
    ]
    assert [line for line in beyond if line not in lines] == []
    assert len(lines) == 2 + len(run.rows)


@pytest.mark.parametrize("edition", ["2024", "2025", "2026"])
@given(run=messy(st.one_of(CELL, UNREADABLE_CELL)))
@settings(max_examples=30, deadline=None)
def test_a_repaired_file_needs_no_repair(
    edition: str, run: Messy, fix: Callable[..., tuple[Repair, Path]]
) -> None:
    _, first = fix(run.text, edition, C, ids="\n".join(IDS))
    again, second = fix(first.read_bytes(), edition, C, ids="\n".join(IDS))
    assert second.read_bytes() == first.read_bytes()
    assert (again.changes, again.moved) == ((), 0)


CAPTIONS = st.one_of(
    st.text("ab, ;|é=\t", min_size=1, max_size=10).map(lambda text: ("plain", text)),
    st.text('ab, ";|é\n\t', max_size=10).map(lambda text: ("quoted", text)),
    st.just(("absent", "")),
)


def caption_line(image_id: str, form: str, text: str) -> str:
    if form == "absent":
        return f"{image_id}\n"
    if form == "plain":
        return f"{image_id},{text}\n"
    line = io.StringIO(newline="")
    csv.writer(line, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow([image_id, text])
    return line.getvalue()


@pytest.mark.parametrize("edition", ["2024", "2025", "2026", "radcap"])
@given(
    rows=st.lists(st.tuples(ID, CAPTIONS), min_size=1, max_size=6, unique_by=key),  # pyright: ignore[reportArgumentType]
    head=st.sampled_from(["ID,Caption\n", "id,text\n", "\ufeffID,Caption\n"]),
)
@settings(max_examples=60, deadline=None)
def test_every_image_keeps_its_caption(
    edition: str, rows: list[tuple[str, tuple[str, str]]], head: str, fix: Callable[..., tuple[Repair, Path]]
) -> None:
    text = head + "".join(caption_line(image_id, form, words) for image_id, (form, words) in rows)
    _, out = fix(text, edition, K, ids="\n".join(IDS))
    found, _ = read_run(out, K, edition=edition, expected=EXPECTED)
    assert found.cells == {key((image_id, "")): clean_caption(words) for image_id, (_, words) in rows}
    _, again = fix(out.read_bytes(), edition, K, ids="\n".join(IDS))
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize(("end", "counted"), [("\n", 0), ("\r\n", 3), ("\r", 3)])
def test_line_ends_are_made_lf_and_counted(end: str, counted: int, place: Callable[..., Path]) -> None:
    run = place(f"ID,CUIs{end}a1,C1{end}a2,C2{end}")
    repair = fix_run(run, run.with_name("out.csv"), "concepts", ids=place("a1\na2\n"))
    assert (repair.line_ends, repair.to_json()["line_ends"], repair.changes) == (counted, counted, ())
    assert run.with_name("out.csv").read_bytes() == b"ID,CUIs\na1,C1\na2,C2\n"
