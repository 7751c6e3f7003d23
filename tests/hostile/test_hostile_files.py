"""Small hostile files: the right finding, under every edition no crash, and nothing a terminal obeys."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import pytest
from checks import assert_printable, assert_sound
from corpus_small import GOOD, SMALL, SMALL_IDS, C, K
from corpus_zips import ZIPS, Member, archive, zip_bytes

from radcap.core import Level
from radcap.formats import DIALECTS, Limits, Reader, read_run, validate

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command
    from place import Place

    from radcap.formats import Dialect, Expected, Validation


def errors(found: Validation) -> set[str]:
    return {issue.code for issue in found.issues if issue.level is Level.ERROR}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_is_answered_by_the_right_finding(name: str, place: Place, small_ids: Path) -> None:
    task, content, code = SMALL[name]
    found = validate(place(content), task, ids=small_ids)
    assert found.ok is (code is None)
    assert code is None or code in errors(found)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda one: f"{one.edition}-{one.task}")
def test_every_edition_reads_every_file_without_a_crash(
    dialect: Dialect, place: Place, expected: Expected
) -> None:
    for small in SMALL.values():
        assert_sound(place(small.content), dialect, expected)


@pytest.mark.parametrize("name", ZIPS)
def test_an_archive_is_answered_by_the_right_finding(name: str, place: Place, small_ids: Path) -> None:
    code = ZIPS[name].code
    found = validate(place(zip_bytes(name), "run.zip"), K, ids=small_ids)
    if name == "says 4 GB packed" and not found.ok:
        code = "RUN114"  # later versions of Python refuse a member that reaches into what follows it
    assert found.ok is (code is None)
    assert code is None or code in errors(found)
    assert found.rows == 3 or code is not None


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda one: f"{one.edition}-{one.task}")
def test_every_edition_opens_every_archive_without_a_crash(
    dialect: Dialect, place: Place, expected: Expected
) -> None:
    for name in ZIPS:
        assert_sound(place(zip_bytes(name), "run.zip"), dialect, expected)


@pytest.mark.parametrize("output", ["text", "json", "github", "sarif"])
def test_nothing_a_terminal_obeys_is_printed(
    output: str, place: Place, small_ids: Path, radcap: Command
) -> None:
    files = [(small.task, small.content) for small in SMALL.values()]
    files += [(K, zip_bytes(name)) for name in ZIPS]
    for task, content in files:
        done = radcap("validate", place(content), "--task", task, "--ids", small_ids, "--format", output)
        assert done.code in {0, 1}
        assert_printable(done.out, done.err)
        if output == "json":
            assert json.loads(done.out)["ok"] is (done.code == 0)


def test_on_a_terminal_only_our_own_colours_are_sent(
    place: Place, small_ids: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    for task, content, _ in SMALL.values():
        done = radcap("validate", place(content), "--task", task, "--ids", small_ids)
        assert_printable(re.sub(r"^\x1b\[(?:31|33|2)m|\x1b\[0m$", "", done.out, flags=re.MULTILINE))


def test_what_a_repair_lists_is_as_harmless(
    place: Place, small_ids: Path, radcap: Command, tmp_path: Path
) -> None:
    for number, (task, content, _) in enumerate(SMALL.values()):
        arguments = ("validate", place(content), "--task", task, "--ids", small_ids)
        for output in ("text", "json"):
            out = tmp_path / f"{number}-{output}.csv"
            done = radcap(*arguments, "--fix", out, "--format", output)
            assert done.code in {0, 1}
            assert_printable(done.out, done.err)


@pytest.mark.parametrize("task", [C, K])
def test_a_file_cut_at_any_byte_passes_only_while_each_image_has_its_row(
    task: str, place: Place, expected: Expected
) -> None:
    whole = GOOD[C if task == C else K]
    for length in range(len(whole)):
        run, found = read_run(place(whole[:length]), task, edition="2026", expected=expected)
        assert not found.ok or list(run.cells) == list(SMALL_IDS)


def test_an_archive_cut_at_any_byte_is_refused(place: Place, expected: Expected) -> None:
    whole = archive(Member())
    for length in range(len(whole)):
        _, found = read_run(place(whole[:length]), K, edition="2025", expected=expected)
        assert not found.ok


def test_of_two_archives_in_one_file_one_is_read_and_no_mixture(place: Place, expected: Expected) -> None:
    other = GOOD[K].replace(b"C1306645", b"C0041618")
    cells = []
    for comment in (archive(Member(other)), archive(Member(other))[-22:], b"PK\5\6" + bytes(18)):
        run, found = read_run(place(archive(Member(), comment=comment)), K, edition="2025", expected=expected)
        cells.append((found.ok, run.cells.get("img_3")))
    assert set(cells) <= {(True, "C1306645"), (True, "C0041618"), (False, None)}


def test_cells_and_concepts_are_bounded_in_number(place: Place) -> None:
    limits = Limits(file_bytes=10_000, rows=4)
    for cell in (b"C1;" * 99, b"C1," * 99):
        reader = Reader(
            place(b"img_1,C1\nimg_2,%s\nimg_3,%s\nimg_4,C1\n" % (cell, cell)), K, "2025", limits=limits
        )
        assert [one for one, _ in reader.cells()] == ["img_1", "img_2"]
        (issue,) = [one for one in reader.validation().issues if one.code == "RUN113"]
        assert (issue.line, issue.level) == (3, Level.ERROR)


@pytest.mark.parametrize("edition", ["2025", "2026", "radcap"])
def test_an_error_is_found_behind_any_number_of_warnings(edition: str, place: Place) -> None:
    ids = [f"img_{number}" for number in range(1500)]
    rows = [f"{one},C0040405\x0b\n" for one in ids[:-1]] + [f"{ids[-1]},C0040405\0\n"]
    path = place("".join(["ID,CUIs\n", *rows]).encode())
    listed = place("\n".join(ids).encode(), "ids.csv")
    assert not validate(path, K, ids=listed, edition=edition).ok
