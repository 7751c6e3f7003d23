"""Every code of the catalogue: a small file that shows it, the place, the level in each edition."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING, NamedTuple

import pytest

from radcap.core import InputError, Issue, Level, Task
from radcap.formats import (
    CATALOGUE,
    DIALECTS,
    EDITIONS,
    Header,
    Kind,
    check_quota,
    dialect,
    read_labels,
    validate,
)
from radcap.formats.codes import CODES, TOLERANT, level_of
from radcap.metrics import score_concepts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.formats import Code, Validation

LEVELS = {"E": Level.ERROR, "W": Level.WARNING, "I": Level.INFO}


class Case(NamedTuple):
    """A file and the finding in it.

    `text` is bytes written as Latin-1: '{h}' is the edition's header line if it has one, '~' its separator.
    `line` counts from behind that header. `levels` has a letter per edition, 2017 to 2026, rocov2, radcap:
    E, W, I; '-' where the code must not appear; '.' where the subtask was not held.
    """

    code: str
    task: str
    text: str
    line: int
    column: int
    levels: str
    ids: tuple[str, ...] = ("a1", "a2")
    member: str | None = None  # pack the text into a zip under this name


C, K = "concepts", "captions"
EVERY, EVERY_CAPTION = "EEEEEEEEEEEE", "EE..EEEEEEEE"
MARK = "\xef\xbb\xbf"
TEN = tuple(f"a{number}" for number in range(1, 11))


def cuis(n: int) -> str:
    return ";".join(f"C{number}" for number in range(n))


CASES = (
    # the file
    Case("RUN102", C, "", 0, 0, EVERY),
    Case("RUN102", K, "", 0, 0, EVERY_CAPTION),
    Case("RUN103", C, "{h}a1~C1\na2~C2", 0, 0, "--------II--"),
    Case("RUN103", K, "{h}a1~x\na2~y", 0, 0, "--..----II--"),
    Case("RUN103", C, "{h}a1~C1\na2~C2", 0, 0, "IIIIIIII----", member="submission.csv"),
    Case("RUN103", K, "{h}a1~x\na2~y", 0, 0, "II..IIII----", member="submission.csv"),
    Case("RUN103", C, "\x1f\x8b\x08", 0, 0, "IIIIIIIIIIII"),
    Case("RUN104", C, "{h}a1~C1\na2~C2", 0, 0, "IIIIIIIIIIII", member="run.csv"),
    Case("RUN104", C, "{h}a1~C1\na2~C2", 0, 0, "IIIIIIIIIIII", member="folder/submission.csv"),
    Case("RUN105", C, "{h}a1~C1\xff\na2~C2", 1, 6, EVERY),
    Case("RUN105", K, "{h}a1~x\na2~na\xefve", 2, 6, EVERY_CAPTION),
    Case("RUN106", C, MARK + "{h}a1~C1\na2~C2", 1, 1, "EEEEEEWWWEWI"),
    Case("RUN106", C, MARK + "a1~C1\na2~C2", 1, 1, "EEEEEEEEEEEI"),
    Case("RUN106", K, MARK + "{h}a1~x\na2~y", 1, 1, "EE..EEWWEEWI"),
    Case("RUN106", K, MARK + "a1~x\na2~y", 1, 1, "EE..EEEEEEEI"),
    Case("RUN107", C, "a1~C1\na2~C2", 1, 1, "---------E--"),
    Case("RUN107", K, "a1~x\na2~y", 1, 1, "--..-----E--"),
    Case("RUN107", K, "a9~x\na1~x\na2~y", 1, 1, "--..----EE--"),
    Case("RUN108", C, "ID~Concepts\na1~C1\na2~C2", 1, 1, "------WWWEWI"),
    Case("RUN108", C, "id~CUIs\na1~C1\na2~C2", 1, 1, "------EEEEWI"),
    Case("RUN108", C, "Image~CUIs\na1~C1\na2~C2", 1, 1, "------EEEEEI"),
    Case("RUN108", C, "ID~CUIs~\na1~C1\na2~C2", 1, 1, "------WWWEWI"),
    Case("RUN108", K, "id~caption\na1~x\na2~y", 1, 1, "--..--WWWEWI"),
    Case("RUN108", K, "Image~Caption\na1~x\na2~y", 1, 1, "--..--EEEEEI"),
    Case("RUN109", C, "ID~CUIs\na1~C1\na2~C2", 1, 1, "EEEEEE------"),
    Case("RUN109", K, "image~caption\na1~x\na2~y", 1, 1, "EE..EE------"),
    Case("RUN110", C, "ID~CUIs", 1, 1, EVERY),
    Case("RUN110", K, "ID~Caption", 1, 1, EVERY_CAPTION),
    Case("RUN111", C, "ID;CUIs\na1;C1\na2;C2", 1, 1, "EEEEEEEEEEEI"),
    Case("RUN111", K, "ID;Caption\na1;x\na2;y", 1, 1, "EE..EEEEEEEI"),
    Case("RUN112", C, '{h}a1~"C1\na2~C2', 1, 4, "------EEEEEE"),
    Case("RUN112", K, '{h}a1~"x\na2~y', 1, 4, "--..--EEEEEE"),
    Case("RUN113", C, "a1~C1\n" * 1100, 1005, 1, EVERY),
    Case("RUN113", K, "a1~x\n" * 1100, 1005, 1, EVERY_CAPTION),
    Case("RUN114", C, "{h}a1~C1\na2~C2", 0, 0, EVERY, member="../submission.csv"),
    Case("RUN114", K, "{h}a1~x\na2~y", 0, 0, EVERY_CAPTION, member="/submission.csv"),
    Case("RUN115", C, "{h}a1~C1\0\na2~C2", 1, 6, EVERY),
    Case("RUN115", K, "{h}a1~x\0\na2~y", 1, 5, EVERY_CAPTION),
    Case("RUN115", K, "{h}a1~x\x01\na2~y", 1, 5, "WW..WWWWWWWW"),
    # rows and ids
    Case("RUN201", C, "{h}a1~C1\n\na2~C2", 2, 1, "EEEEEEEEEEEI"),
    Case("RUN201", K, "{h}a1~x\n \t\na2~y", 2, 1, "EE..EEEEEEEI"),
    Case("RUN202", C, "{h}a1~C1~lung\na2~C2", 1, 4, EVERY),
    Case("RUN202", K, '{h}a1~"x"~y\na2~y', 1, 5, "--..--WWWEWE"),
    Case("RUN203", K, "{h}a1\na2~y", 1, 3, EVERY_CAPTION),
    Case("RUN204", C, "{h} a1~C1\na2~C2", 1, 1, "EEEEEEEEEEEW"),
    Case("RUN204", K, "{h}a1~x\na2 ~y", 2, 1, "EE..EEEEEEEW"),
    Case("RUN205", C, "{h}a1~C1\na2~C2\na9~C3", 3, 1, EVERY),
    Case("RUN205", K, "{h}a1~x\na2~y\na9~z", 3, 1, EVERY_CAPTION),
    Case("RUN206", C, "{h}a1~C1\na2~C2\na1~C1", 3, 1, EVERY),
    Case("RUN206", K, "{h}a1~x\na2~y\na1~x", 3, 1, EVERY_CAPTION),
    Case("RUN207", C, "{h}a1~C1", 0, 0, EVERY),
    Case("RUN207", K, "{h}a1~x", 0, 0, EVERY_CAPTION),
    Case("RUN208", C, "{h}a2~C2\na1~C1", 1, 1, "IIIIIIIIIEII"),
    Case("RUN208", K, "{h}a2~y\na1~x", 1, 1, "II..IIIIIEII"),
    Case("RUN209", C, "{h}a1~C1\na2~C2\na9~C3", 3, 1, EVERY),
    Case("RUN209", K, "{h}a1~x\na2~y\na9~z", 3, 1, EVERY_CAPTION),
    Case("RUN210", C, "{h}a1~C1\na2~C2\n~C3", 3, 1, EVERY),
    Case("RUN210", K, "{h}a1~x\na2~y\n ~z", 3, 1, EVERY_CAPTION),
    Case("RUN211", C, "{h}a1.jpg~C1\na2~C2", 1, 3, "EEEEEEEEEEEW"),
    Case("RUN211", K, "{h}a1~x\na2.PNG~y", 2, 3, "EE..EEEEEEEW"),
    Case("RUN212", C, "{h}VID1~C1\na2~C2", 1, 1, "------WWWW--", ids=("VID1", "a2")),
    Case("RUN212", K, "{h}VID1~x\na2~y", 1, 1, "--..--------", ids=("VID1", "a2")),
    Case("RUN213", C, "{h}b1~C1\nb2~C2", 1, 1, EVERY),
    Case("RUN213", K, "{h}b1~x\nb2~y", 1, 1, EVERY_CAPTION),
    # concepts
    Case("RUN301", C, "{h}a1~" + cuis(101) + "\na2~C2", 1, 4, "-----EEEEEEE"),
    Case("RUN301", C, "{h}a1~" + cuis(151) + "\na2~C2", 1, 4, "---E-EEEEEEE"),
    Case("RUN301", C, "{h}a1~" + cuis(1287) + "\na2~C2", 1, 4, "-E-E-EEEEEEE"),
    Case("RUN301", C, "{h}a1~" + cuis(100) + "\na2~C2", 1, 4, "------------"),
    Case("RUN302", C, "{h}a1~C1;C2;C1\na2~C2", 1, 4, "EEEEEEEEEEEW"),
    Case("RUN302", C, "{h}a1~C1;;\na2~C2", 1, 4, "EEEEEEEEEEEW"),
    Case("RUN303", C, "{h}a1~C1;\na2~C2", 1, 6, "WWWWWWWWWEWI"),
    Case("RUN303", C, "{h}a1~C1;C2\na2~C1;;C2;C3", 2, 6, "WWWWWWWWWEWI"),
    Case("RUN303", C, "{h}a1~ ;C1\na2~C2", 1, 4, "WWWWWWWWWEWI"),
    Case("RUN304", C, "{h}a1~C1; lung\na2~C2", 1, 8, "WWWWWWWWWEWW"),
    Case("RUN305", C, "{h}a1~C1;c2\na2~C2", 1, 7, "IIIIIIIIIEII"),
    Case("RUN306", C, "{h}a1~ C1\na2~C2", 1, 4, "IIIIIIIIIEII"),
    Case("RUN306", C, "{h}a1~ \na2~C2", 1, 4, "IIIIIIIIIEII"),
    Case("RUN307", C, "{h}a1~C1;C2 C3\na2~C2", 1, 7, "WWWWWWWWWEWW"),
    Case("RUN307", C, "{h}a1~C1~C2\na2~C2", 1, 4, "EEEEEEEEEEEW"),
    Case("RUN308", C, "{h}a1~C1;c1\na2~C2", 1, 4, "WWWWWWWWWWWI"),
    Case("RUN310", C, "{h}a1~\na2~C2", 0, 0, "IIIIIIIIIIII"),
    Case("RUN311", C, "{h}a1\na2~C2", 1, 3, "IIIIIIIIIEII"),
    Case("RUN312", C, "{h}a1~C1\na2~C0040405", 0, 0, "------IIIIII"),
    # captions
    Case("RUN401", K, "{h}a1~\na2~y", 1, 4, "WW..WWWWEEWW"),
    Case("RUN401", K, "{h}a1~ \t\na2~y", 1, 4, "WW..WWWWEEWW"),
    Case("RUN402", K, "{h}a1~x~ y\na2~y", 1, 5, "--..-----E-W"),
    Case("RUN402", K, '{h}a1~"x~ y" \na2~y', 1, 5, "--..-----E--"),
    Case("RUN403", K, "{h}a1~x~ y\na2~y", 1, 5, "--..--WWW-W-"),
    Case("RUN404", K, '{h}a1~"x\ny"\na2~y', 1, 5, "--..--WWWWWI"),
    Case("RUN404", K, '{h}a1~"x\n\ny"\na2~y', 1, 5, "--..--WWWEWI"),
    Case("RUN404", K, '{h}a1~"x~ z\ny"\na2~y', 1, 5, "--..--WWWEWI"),
    Case("RUN405", K, "{h}a1~...\na2~y", 1, 4, "WW..WWWWWWWW"),
    Case("RUN406", K, "{h}a1~x~ y\na2~y", 1, 5, "WW..WW------"),
    Case("RUN407", K, "{h}a1~" + "x " * 512 + "x\na2~y", 1, 4, "II..IIIIIIII"),
    Case("RUN407", K, "{h}a1~" + "x " * 511 + "x\na2~y", 1, 4, "--..--------"),
    Case("RUN408", K, "{h}a1~ x\na2~y", 1, 4, "II..IIIIIIII"),
    Case("RUN409", K, "{h}" + "".join(f"{one}~same\n" for one in TEN), 0, 0, "WW..WWWWWWWW", ids=TEN),
    Case("RUN410", K, "a1~x\na2~y", 1, 1, "--..----E---"),
)


def content(case: Case, edition: str) -> bytes:
    """The case written as that edition writes runs."""
    form = dialect(edition, Task(case.task))
    header = "" if form.header is Header.NONE else "~".join(form.columns) + "\n"
    text = case.text.replace("{h}", header).replace("~", form.separators[0])
    return text.encode("latin-1") if case.member is None else zipped(text, case.member)


def zipped(text: str, name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, text.encode("latin-1"))
    return packed.getvalue()


def assert_readable(issues: tuple[Issue, ...]) -> None:
    """A message is one line, filled in, and the hint says what to do."""
    for issue in issues:
        assert not set("{}\n\r\0") & set(f"{issue.message}{issue.hint}")
        assert re.search(r"\.$", issue.message)
        assert re.search(r"[.?]$", issue.hint)


BY_EDITION = [
    pytest.param(case, edition, letter, id=f"{case.code}-{case.task}-{edition}-{letter}")
    for case in CASES
    for edition, letter in zip(EDITIONS, case.levels, strict=True)
    if letter != "."
]


@pytest.mark.parametrize(("case", "edition", "letter"), BY_EDITION)
def test_the_code_stands_where_it_belongs_with_the_level_of_the_edition(
    case: Case, edition: str, letter: str, check: Callable[..., Validation]
) -> None:
    found = check(content(case, edition), edition, case.task, case.ids)
    assert_readable(found.issues)
    issues = [issue for issue in found.issues if issue.code == case.code]
    if letter == "-":
        assert issues == []
        return
    has_header = case.text.startswith("{h}") and dialect(edition, Task(case.task)).header is not Header.NONE
    line = case.line + has_header if case.line else 0
    assert (issues[0].line, issues[0].column, issues[0].level) == (line, case.column, LEVELS[letter])
    assert found.ok == all(issue.level is not Level.ERROR for issue in found.issues)


@pytest.mark.parametrize(("edition", "task"), DIALECTS)
def test_a_file_that_is_not_there_is_one_error_in_every_edition(
    edition: str, task: Task, place: Callable[..., Path]
) -> None:
    ids = place("a1\na2", "ids.csv")
    found = validate(ids.with_name("absent.csv"), task, ids=ids, edition=edition)
    assert [(one.code, one.level, one.line) for one in found.issues] == [("RUN101", Level.ERROR, 0)]


@pytest.mark.parametrize(("edition", "task"), DIALECTS)
def test_a_cui_outside_the_vocabulary_is_a_warning_in_every_edition(
    edition: str, task: Task, place: Callable[..., Path], check: Callable[..., Validation]
) -> None:
    case = Case("RUN309", task, "{h}a1~C1;c3\na2~C2", 1, 4, "")
    known = place("cui,name\nC1,one\nC2,two", "cuis.csv")
    found = check(content(case, edition), edition, task, vocabulary=known)
    issues = [issue for issue in found.issues if issue.code == "RUN309"]
    if task is Task.CAPTIONS:
        assert issues == []
    else:
        (issue,) = issues
        assert (issue.level, issue.column) == (Level.WARNING, 4)
        assert issue.message.startswith("c3 on line")


@pytest.mark.parametrize("code", ["RUN103", "RUN104"])
def test_packing_is_an_error_only_if_strict(code: str, check: Callable[..., Validation]) -> None:
    case = next(case for case in CASES if case.code == code)
    for strict, level in ((False, Level.INFO), (True, Level.ERROR)):
        found = check(content(case, "2026"), "2026", case.task, strict=strict)
        assert [issue.level for issue in found.issues if issue.code == code] == [level]
        assert found.ok is not strict


QUOTAS = {
    **dict.fromkeys(("2017", "2018", "2020", "2021", "2022", "2023", "2024"), 10),
    "2025": 30,
    **dict.fromkeys(("2019", "2026", "rocov2", "radcap")),
}


@pytest.mark.parametrize(("edition", "task"), DIALECTS)
def test_one_run_more_than_the_edition_grades_is_an_error(edition: str, task: Task) -> None:
    most = QUOTAS[edition]
    if most is None:
        assert check_quota("team", 1000, edition, task) is None
        return
    assert check_quota("team", most, edition, task) is None
    issue = check_quota("a team", most + 1, edition, task)
    assert issue == Issue(
        "RUN116",
        Level.ERROR,
        0,
        0,
        f"This is run {most + 1} of team 'a team'. Edition {edition} grades {most}.",
        "Withdraw a run first.",
    )


def truth_issues(code: str, place: Callable[..., Path]) -> tuple[Issue, ...]:
    """The three codes of a faulty truth, as the scorer or the reader of labels meets them."""
    labels = "a1,C1\na2,C2\n"
    if code == "TRU103":
        with pytest.raises(InputError) as raised:
            read_labels(place(labels + "a1,C2\n"), Kind.CONCEPTS, "2025")
        return raised.value.issues
    manual = "a1,C0040405\n" if code == "TRU101" else "a1,C9\na2,C9\n"
    return score_concepts(place(labels), place(labels), manual=place(manual)).issues


TRUTH_CODES = {"TRU101": (0, 0), "TRU102": (0, 0), "TRU103": (3, 1)}


@pytest.mark.parametrize("code", TRUTH_CODES)
def test_a_faulty_truth_is_an_error(code: str, place: Callable[..., Path]) -> None:
    found = [issue for issue in truth_issues(code, place) if issue.code == code]
    assert [(issue.level, issue.line, issue.column) for issue in found] == [(Level.ERROR, *TRUTH_CODES[code])]


def test_every_code_of_the_catalogue_has_a_file_that_shows_it() -> None:
    of_captions = {"TRU104", "TRU105"}  # shown by test_empty_captions and test_caption_sources
    elsewhere = {"RUN101", "RUN116", "RUN309", *TRUTH_CODES, *of_captions}
    assert {case.code for case in CASES} | elsewhere == {code.code for code in CATALOGUE}


def test_every_case_shows_its_code_in_some_edition_and_names_all_twelve() -> None:
    shown = {case.code for case in CASES if set(case.levels) & set("EWI")}
    assert shown == {case.code for case in CASES}
    assert {len(case.levels) for case in CASES} == {len(EDITIONS)}


def test_codes_are_unique_and_in_order() -> None:
    codes = [code.code for code in CATALOGUE]
    assert codes == sorted(set(codes))
    assert set(TOLERANT) <= set(codes)


@pytest.mark.parametrize("code", CATALOGUE, ids=lambda code: code.code)
def test_the_last_clause_of_every_code_fits_any_edition(code: Code) -> None:
    *special, last = code.levels.split("; ")
    assert last in LEVELS
    assert all(re.fullmatch(r"\d{4}(-\d{4})? (concepts |captions )?[EWI]", clause) for clause in special)
    assert {level_of(code.code, year, task) for year in range(2017, 2027) for task in Task} <= set(Level)


FIXABLE = (
    "RUN103 RUN104 RUN105 RUN106 RUN107 RUN108 RUN109 RUN111 RUN201 RUN203 RUN204 RUN208 RUN211 "
    "RUN302 RUN303 RUN305 RUN306 RUN307 RUN308 RUN311 RUN402 RUN403 RUN404 RUN408 RUN410"
)


def test_what_can_be_repaired_is_what_the_specification_says() -> None:
    assert {code for code, entry in CODES.items() if entry.fixable} == set(FIXABLE.split())
