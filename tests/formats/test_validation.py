"""A run under the rules of an edition: its scorer's checks, the check of 2026, what the run then holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from radcap.core import Level, Run, Task, UsageError
from radcap.formats import Limits, Reader, expect, read_expected, read_run, validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.formats import Validation

C, K = Task.CONCEPTS, Task.CAPTIONS
ANY = (",", "\t", "|")

# Files as each edition's page describes them; the scorer reads two rows of each.
GOOD = [
    ("2017", C, "a1\tC1;C2\na2\tC3\n"),
    ("2017", C, "a1\tC1;C2\na2\n"),
    ("2017", K, 'a1\tA "quoted, word\na2\t"never closed\n'),
    ("2018", C, "a1\tC1;C2\na2\tC3\n"),
    ("2018", K, "a1\tx, y; z | u\na2\ty\n"),
    ("2019", C, "a1\tC1;C2\na2\tC3\n"),
    ("2020", C, "a1\tC1;C2\na2\tC3\n"),
    ("2021", C, "a1|C1;C2\na2\n"),
    ("2021", K, 'a1|x, y\ta2\na2|"never closed\n'),
    ("2022", C, "a1|C1;C2\na2|\n"),
    ("2022", K, "a1|x, y\na2|y\n"),
    *(("2023", C, f"{head}a1{sign}C1;C2\na2{sign}C3\n") for sign in ANY for head in ("", f"ID{sign}CUIs\n")),
    *(("2023", K, f"{head}a1{sign}x\na2{sign}y\n") for sign in ANY for head in ("", f"ID{sign}Caption\n")),
    ("2024", C, "ID,CUIs\na1,C1;C2\na2,\n"),
    ("2024", C, "a2,C1;C2\na1,C3\n"),
    ("2024", K, 'a1,"x, ""y"""\na2,y\n'),
    ("2025", C, "ID,CUIs\na2,C1;C2\na1,C3\n"),
    ("2025", C, "a1,c1\na2\n"),
    ("2025", K, 'ID,Caption\na2,y\na1,"x, y"\n'),
    ("2025", K, 'id,anything\na1,"x, y"\na2,y\n'),
    ("2026", C, "ID,CUIs\na1,C1; C2\na2,\n"),
    ("2026", K, 'ID,Caption\na1,"x, y"\na2,y\n'),
    ("rocov2", C, "ID,CUIs\na2,C1\na1,C2\n"),
    ("rocov2", K, "ID,Caption\na2,x\na1,y\n"),
    *(("radcap", C, f"\ufeffimage{sign}labels\n\na2{sign}c1;;C1\na1.jpg{sign}C2 C3\n") for sign in ANY),
    ("radcap", K, "\ufeffa2,x, y\n\na1 ,y\n"),
]


@pytest.mark.parametrize(("edition", "task", "text"), GOOD)
def test_a_file_as_the_edition_describes_it_passes(
    edition: str, task: Task, text: str, place: Callable[..., Path], check: Callable[..., Validation]
) -> None:
    run, _ = read_run(place(text), task, edition=edition)
    assert {image_id.removesuffix(".jpg") for image_id in run.cells} == {"a1", "a2"}
    found = check(text, edition, task)
    assert found.ok, found.issues


CELLS = [
    ("2017", C, "a1\tC1; c2\na2", {"a1": "C1; c2", "a2": None}),
    ("2024", C, "a1, C1\na2,", {"a1": " C1", "a2": ""}),
    ("2021", K, "a1|x|dropped\na2|y", {"a1": "x", "a2": "y"}),
    ("2024", K, "a1,x, dropped\na2,y", {"a1": "x", "a2": "y"}),
    ("2025", K, 'ID,Caption\na1,"x",dropped\na2,y', {"a1": "x", "a2": "y"}),
    ("2026", K, "ID,Caption\na1,x, y\na2", {"a1": "x, y", "a2": None}),
    ("radcap", C, "a1,c1;;C1, C2\na2, C3 c4 ", {"a1": "C1;C2", "a2": "C3;C4"}),
    ("radcap", K, "a1,x, y\na2,y", {"a1": "x, y", "a2": "y"}),
]


@pytest.mark.parametrize(("edition", "task", "text", "cells"), CELLS)
def test_the_run_holds_what_the_scorer_of_the_edition_would_see(
    edition: str, task: Task, text: str, cells: dict[str, str | None], place: Callable[..., Path]
) -> None:
    run, _ = read_run(place(text), task, edition=edition)
    assert run.cells == cells


def errors(found: Validation) -> list[tuple[str, int, int]]:
    return [(one.code, one.line, one.column) for one in found.issues if one.level is Level.ERROR]


# The scorers of 2018 to 2026 stop at the first of six checks; radcap names them all at once.
SCORER_CHECKS = [
    ("1 columns", C, "{h}a1~C1~lung\na2~C2", "RUN202"),
    ("1 columns", K, "{h}a1\na2~y", "RUN203"),
    ("2 unknown id", C, "{h}a1~C1\na2~C2\na9~C3", "RUN205"),
    ("2 unknown id", K, "{h}a1~x\na2~y\na9~z", "RUN205"),
    ("3 repeated id", C, "{h}a1~C1\na2~C2\na2~C3", "RUN206"),
    ("3 repeated id", K, "{h}a1~x\na2~y\na2~z", "RUN206"),
    ("5 repeated CUI", C, "{h}a1~C1;C1\na2~C2", "RUN302"),
    ("6 number of ids", C, "{h}a1~C1", "RUN207"),
    ("6 number of ids", K, "{h}a1~x", "RUN207"),
]


SCORERS = [
    pytest.param(year, task, text, code, id=f"{rule}-{task}-{year}")
    for rule, task, text, code in SCORER_CHECKS
    for year in range(2018, 2027)
    if task is C or year not in {2019, 2020}
]


@pytest.mark.parametrize(("year", "task", "text", "code"), SCORERS)
def test_scorer_check(year: int, task: Task, text: str, code: str, check: Callable[..., Validation]) -> None:
    sign = "\t" if year < 2021 else "|" if year < 2023 else ","
    header = "" if year < 2023 else "ID,CUIs\n" if task is C else "ID,Caption\n"
    found = check(text.replace("{h}", header).replace("~", sign), str(year), task)
    assert code in {name for name, _, _ in errors(found)}


@pytest.mark.parametrize(("edition", "most"), [("2018", 1286), ("2020", 150), ("2022", 100), ("2025", 100)])
def test_scorer_check_4_too_many_cuis(edition: str, most: int, check: Callable[..., Validation]) -> None:
    sign = {"2018": "\t", "2020": "\t", "2022": "|", "2025": ","}[edition]
    for n, codes in ((most, []), (most + 1, ["RUN301"])):
        cell = ";".join(f"C{number}" for number in range(n))
        assert [code for code, _, _ in errors(check(f"a1{sign}{cell}\na2{sign}C1", edition))] == codes


def test_all_faults_are_named_in_one_pass_in_the_order_of_the_file(check: Callable[..., Validation]) -> None:
    text = "ID,cuis\na2,c1\n\na1.jpg,C1;C1\na9,\na1,C1,lung\n"
    assert errors(check(text)) == [
        ("RUN108", 1, 1),
        ("RUN208", 2, 1),
        ("RUN305", 2, 4),
        ("RUN201", 3, 1),
        ("RUN211", 4, 3),
        ("RUN302", 4, 8),
        ("RUN205", 5, 1),
        ("RUN209", 5, 1),
        ("RUN206", 6, 1),
        ("RUN202", 6, 4),
    ]


# The check that a file of 2026 must pass before it is scored, item by item, for both subtasks.


def precheck(
    check: Callable[..., Validation], text: str | bytes, task: Task = C
) -> list[tuple[str, int, int]]:
    return errors(check(text, "2026", task))


def test_precheck_2026_passes_a_right_file(check: Callable[..., Validation]) -> None:
    assert precheck(check, "ID,CUIs\na1,C1;C2\na2,\n") == []
    assert precheck(check, 'ID,Caption\na1,"x, y"\na2,y\n', K) == []


def test_precheck_2026_01_the_file_exists(place: Callable[..., Path]) -> None:
    ids = place("a1\na2", "ids.csv")
    assert errors(validate(ids.with_name("no.csv"), C, ids=ids)) == [("RUN101", 0, 0)]


def test_precheck_2026_02_utf8_decodes(check: Callable[..., Validation]) -> None:
    assert precheck(check, b"ID,Caption\na1,caf\xe9\na2,y\n", K) == [("RUN105", 2, 7)]


def test_precheck_2026_03_no_blank_line(check: Callable[..., Validation]) -> None:
    assert precheck(check, "ID,CUIs\na1,C1\n\na2,C2\n") == [("RUN201", 3, 1)]
    assert precheck(check, "ID,CUIs\na1,C1\na2,C2\n\n") == [("RUN201", 4, 1)]
    assert precheck(check, "ID,CUIs\na1,C1\na2,C2\n  \t\n") == [("RUN201", 4, 1)]


def test_precheck_2026_03_blank_line_inside_a_quoted_caption(check: Callable[..., Validation]) -> None:
    text = 'ID,Caption\na1,"x\n\ny"\na2,y\n'
    assert precheck(check, text, K) == [("RUN404", 2, 5), ("RUN201", 3, 1)]


def test_precheck_2026_03_a_blank_first_line_is_still_named(check: Callable[..., Validation]) -> None:
    assert precheck(check, "\nID,CUIs\na1,C1\na2,C2\n") == [("RUN201", 1, 1)]


HEADERS = [
    ("", "RUN107"),
    ("id,CUIs\n", "RUN108"),
    ("ID,cuis\n", "RUN108"),
    ("ID,CUIs \n", "RUN108"),
    ("ID;CUIs\n", "RUN107"),
    ("ID,CUIs,\n", "RUN108"),
    ("ID\n", "RUN108"),
    ("ID,Caption\n", "RUN108"),
    ("Figure,Labels\n", "RUN107"),
    ("\ufeffID,CUIs\n", "RUN106"),
]


@pytest.mark.parametrize(("header", "code"), HEADERS)
def test_precheck_2026_04_exactly_the_header(
    header: str, code: str, check: Callable[..., Validation]
) -> None:
    assert precheck(check, f"{header}a1,C1\na2,C2\n") == [(code, 1, 1)]


def test_precheck_2026_05_exactly_two_cells(check: Callable[..., Validation]) -> None:
    assert precheck(check, "ID,CUIs\na1\na2,C2\n") == [("RUN311", 2, 3)]
    assert precheck(check, "ID,CUIs\na1,C1,lung\na2,C2\n") == [("RUN202", 2, 4)]
    assert precheck(check, "ID,CUIs\na1,C1,C2\na2,C2\n") == [("RUN307", 2, 4)]
    assert precheck(check, "ID,Caption\na1\na2,y\n", K) == [("RUN203", 2, 3)]
    assert precheck(check, 'ID,Caption\na1,"x",y\na2,y\n', K) == [("RUN202", 2, 5)]
    assert precheck(check, "ID,Caption\na1,x, y\na2,y\n", K) == [("RUN402", 2, 5)]


def test_precheck_2026_06_no_blanks_around_the_id_and_the_cui_cell(check: Callable[..., Validation]) -> None:
    assert precheck(check, "ID,CUIs\n a1,C1\na2 ,C2\n") == [("RUN204", 2, 1), ("RUN204", 3, 1)]
    assert precheck(check, "ID,CUIs\na1, C1\na2,C2 \n") == [("RUN306", 2, 4), ("RUN306", 3, 4)]
    assert precheck(check, "ID,Caption\na1, x \na2,y\n", K) == []


def test_precheck_2026_07_no_id_repeats(check: Callable[..., Validation]) -> None:
    assert precheck(check, "ID,CUIs\na1,C1\na1,C1\na2,C2\n") == [("RUN206", 3, 1)]


def test_precheck_2026_08_not_beyond_the_truth(check: Callable[..., Validation]) -> None:
    text = "ID,CUIs\na1,C1\na2,C2\na8,C3\na9,C3\n"
    assert precheck(check, text) == [("RUN205", 4, 1), ("RUN209", 4, 1), ("RUN205", 5, 1)]


def test_precheck_2026_09_the_order_of_the_truth(check: Callable[..., Validation]) -> None:
    assert precheck(check, "ID,CUIs\na2,C2\na1,C1\n") == [("RUN208", 2, 1)]


def test_precheck_2026_10_the_id_is_in_the_truth(check: Callable[..., Validation]) -> None:
    assert precheck(check, "ID,CUIs\na1,C1\na9,C2\n") == [("RUN207", 0, 0), ("RUN205", 3, 1)]


BARE = [
    ("x", True),
    ("x y", True),
    ('"x, y"', True),
    ('"x, ""y"", z"', True),
    ("x, y", False),
    ('"x, y" ', False),
    ('"x, y"z', False),
    ('x "y, z"', False),
]


@pytest.mark.parametrize(("cell", "passes"), BARE)
def test_precheck_2026_11c_a_comma_in_a_caption_stands_in_quotes(
    cell: str, passes: bool, check: Callable[..., Validation]
) -> None:
    found = precheck(check, f"ID,Caption\na1,{cell}\na2,y\n", K)
    assert [code for code, _, _ in found] == ([] if passes else ["RUN402"])


def test_precheck_2026_11c_line_breaks_shift_the_quoting_test(check: Callable[..., Validation]) -> None:
    assert precheck(check, 'ID,Caption\na1,"x\ny"\na2,y\n', K) == []
    assert precheck(check, 'ID,Caption\na1,"x, z\ny"\na2,y\n', K) == [("RUN404", 2, 5)]
    assert precheck(check, 'ID,Caption\na1,"x\ny, z, u"\na2,y\n', K) == [("RUN404", 2, 5)]


CUI_CELLS = [
    ("", None),
    ("C1", None),
    ("C1;C2", None),
    ("C1; C2", None),
    ("C1;;C2", "RUN303"),
    ("C1;", "RUN303"),
    (";C1", "RUN303"),
    ("c1", "RUN305"),
    ("lung", "RUN304"),
    ("C", "RUN304"),
    ("C1x", "RUN304"),
    ("C1 C2", "RUN307"),
    ("C1|C2", "RUN307"),
    ("C1;C1", "RUN302"),
    ("C1; C1", "RUN302"),
]


@pytest.mark.parametrize(("cell", "code"), CUI_CELLS)
def test_precheck_2026_11k_the_cui_cell(
    cell: str, code: str | None, check: Callable[..., Validation]
) -> None:
    found = precheck(check, f"ID,CUIs\na1,{cell}\na2,C2\n")
    assert [name for name, _, _ in found] == ([] if code is None else [code])


def test_precheck_2026_12_all_ids_are_present_with_count_and_five_examples(
    check: Callable[..., Validation],
) -> None:
    found = check("ID,CUIs\na1,C1\n", ids=[f"a{number}" for number in range(1, 9)])
    (issue,) = [one for one in found.issues if one.level is Level.ERROR]
    assert issue.message == "7 of 8 ids are absent, e.g. a2, a3, a4, a5, a6. Every image needs a row."


def test_2026_also_names_what_only_its_scorer_refuses(check: Callable[..., Validation]) -> None:
    many = ";".join(f"C{number}" for number in range(101))
    assert precheck(check, f"ID,CUIs\na1,{many}\na2,C2\n") == [("RUN301", 2, 4)]
    assert precheck(check, "ID,Caption\na1,\na2,y\n", K) == [("RUN401", 2, 4)]


def test_check_only_mode_needs_ids_and_no_truth(place: Callable[..., Path]) -> None:
    ids = place("ID,\na1,\na2,\n", "ids.csv")
    run = place("ID,CUIs\na1,C1\na2,\n")
    assert validate(run, C, ids=ids).ok
    missing = validate(place("ID,CUIs\na2,C1\n"), C, ids=ids)
    assert errors(missing) == [("RUN207", 0, 0)]


def test_the_order_of_the_truth_is_concepts_then_ids_that_only_the_manual_labels_have(
    place: Callable[..., Path],
) -> None:
    folder = place("ID,CUIs\nb2,C1\nb1,C2\n", "concepts.csv").parent
    (folder / "concepts_manual.csv").write_text("ID,CUIs\nb0,C1\nb1,C1\nb2,C1\n")
    assert list(read_expected(folder, C, "2026").position) == ["b2", "b1", "b0"]
    right = place("ID,CUIs\nb2,C1\nb1,C1\nb0,C1\n")
    assert validate(right, C, truth=folder).ok
    sorted_run = place("ID,CUIs\nb0,C1\nb1,C1\nb2,C1\n")
    assert {code for code, _, _ in errors(validate(sorted_run, C, truth=folder))} == {"RUN208"}


# Where the code of 2023 to 2026 and its pages part (section 8, rows 7, 8 and 12).


def test_caption_header_2025_a_file_without_header_loses_its_first_image(
    check: Callable[..., Validation],
) -> None:
    assert errors(check("a1,x\na2,y\n", "2025", K)) == [("RUN410", 1, 1)]


def test_caption_header_2025_an_unknown_first_id_loads_and_then_fails(
    check: Callable[..., Validation],
) -> None:
    found = errors(check("a9,z\na1,x\na2,y\n", "2025", K))
    assert found == [("RUN107", 1, 1), ("RUN205", 1, 1)]


def test_caption_header_2025_a_byte_order_mark_hides_the_header(check: Callable[..., Validation]) -> None:
    assert errors(check("\ufeffID,Caption\na1,x\na2,y\n", "2025", K)) == [("RUN106", 1, 1)]


@pytest.mark.parametrize("header", ["id,Caption", "Id,x", "iD,a,b"])
def test_caption_header_2025_any_case_of_id_will_do(header: str, check: Callable[..., Validation]) -> None:
    assert errors(check(f"{header}\na1,x\na2,y\n", "2025", K)) == []


@pytest.mark.parametrize(("text", "code"), [("", "RUN102"), ("ID,Caption\n", "RUN110")])
def test_caption_header_2025_empty_files_crash_the_scorer(
    text: str, code: str, check: Callable[..., Validation]
) -> None:
    assert [name for name, _, _ in errors(check(text, "2025", K))] == [code]


def test_caption_columns_2025_an_unquoted_comma_cuts_the_caption(place: Callable[..., Path]) -> None:
    run, found = read_run(place("ID,Caption\na1,chest x-ray, frontal view\n"), K, edition="2025")
    assert run.cells == {"a1": "chest x-ray"}
    assert found.ok
    (issue,) = [one for one in found.issues if one.code == "RUN403"]
    assert issue.message == "Line 2: only 'chest x-ray' of the caption is scored. An unquoted comma cut it."


@pytest.mark.parametrize("edition", ["2023", "2024", "2025"])
def test_id_trap_a_row_whose_unknown_id_holds_these_letters_is_skipped_like_a_header(
    edition: str, check: Callable[..., Validation], place: Callable[..., Path]
) -> None:
    text = "ID,CUIs\na1,C1\nID,CUIs\na2,C2\nVID9,C3\n"
    found = check(text, edition)
    assert found.ok
    assert [(one.line, one.level) for one in found.issues if one.code == "RUN212"] == [
        (3, Level.WARNING),
        (5, Level.WARNING),
    ]
    run, _ = read_run(place(text), C, edition=edition)
    assert list(run.cells) == ["a1", "a2"]


def test_id_trap_2026_refuses_the_unknown_id_all_the_same(check: Callable[..., Validation]) -> None:
    found = errors(check("ID,CUIs\na1,C1\na2,C2\nVID9,C3\n"))
    assert found == [("RUN205", 4, 1), ("RUN209", 4, 1)]


@pytest.mark.parametrize(("edition", "codes"), [("2025", []), ("2026", ["RUN207"])])
def test_id_trap_an_image_that_the_scorer_drops_from_the_truth_is_not_missed(
    edition: str, codes: list[str], check: Callable[..., Validation]
) -> None:
    found = check("ID,CUIs\na1,C1\n", edition, ids=["a1", "VID2"])
    assert [code for code, _, _ in errors(found)] == codes


def test_id_trap_an_image_of_the_task_is_not_taken_for_the_header(place: Callable[..., Path]) -> None:
    ids = place("VID1\nVID2\n", "ids.csv")
    found = validate(place("VID1,C1\nVID2,C2\n"), C, ids=ids, edition="2025")
    assert found.ok
    assert found.counts["RUN212"] == 2
    assert found.rows == 2


# Lines and columns are those an editor shows.

CAPTIONS = 'ID,Caption\na1,"x\ny\nz"\n a2,y\n'
SPOTS = [
    ("behind a caption of several lines", CAPTIONS, 5),
    ("CRLF", CAPTIONS.replace("\n", "\r\n"), 5),
    ("CR", CAPTIONS.replace("\n", "\r"), 5),
    ("byte-order mark", "\ufeff" + CAPTIONS, 5),
    ("non-ASCII", CAPTIONS.replace("x", "naïve \u2013 日本 \u2028 \x85"), 5),
]


@pytest.mark.parametrize(("name", "text", "line"), SPOTS)
def test_the_line_is_true(name: str, text: str, line: int, check: Callable[..., Validation]) -> None:
    found = check(text, "2024", K)
    assert [issue.line for issue in found.issues if issue.code == "RUN204"] == [line]


def test_the_column_counts_characters_not_bytes(check: Callable[..., Validation]) -> None:
    found = check("ID,CUIs\nü1,C1;lung\n", ids=["ü1"])
    assert [(one.line, one.column) for one in found.issues if one.code == "RUN304"] == [(2, 7)]


def test_the_column_counts_the_quotes(check: Callable[..., Validation]) -> None:
    assert precheck(check, 'ID,CUIs\n"a1","C1;c2"\n"a2.jpg",C2\n') == [("RUN305", 2, 10), ("RUN211", 3, 4)]


def test_the_column_of_a_file_ending_counts_the_blanks_before_it(check: Callable[..., Validation]) -> None:
    assert ("RUN211", 2, 5) in precheck(check, "ID,CUIs\n  a1.jpg,C1\na2,C2\n")


def test_surplus_rows_are_placed_behind_a_caption_of_several_lines(check: Callable[..., Validation]) -> None:
    found = check('ID,Caption\na1,x\na2,"y\ny"\na9,z\n', "2024", K)
    assert [issue.line for issue in found.issues if issue.code == "RUN209"] == [5]


# What comes back.


def test_a_validation_counts_rows_and_findings(check: Callable[..., Validation]) -> None:
    found = check("ID,CUIs\na1,c1;c2\na2,c3\n")
    assert (found.rows, found.edition, found.task, found.ok) == (2, "2026", C, False)
    assert found.counts == {"RUN103": 1, "RUN305": 3, "RUN312": 1}


def test_the_json_of_a_validation_has_the_agreed_shape(check: Callable[..., Validation]) -> None:
    found = check("ID,CUIs\na1,c1\na2,C0040405\n", edition="2025", task="concepts")
    value = json.loads(json.dumps(found.to_json()))
    assert list(value) == ["ok", "edition", "task", "rows", "issues", "counts"]
    assert [list(issue) for issue in value["issues"]] == [
        ["code", "level", "line", "column", "message", "hint"]
    ] * len(value["issues"])
    assert value["ok"] is True
    assert value["counts"] == {"RUN103": 1, "RUN305": 1, "RUN312": 1}
    assert value["issues"][-1] == {
        "code": "RUN305",
        "level": "info",
        "line": 2,
        "column": 4,
        "message": "c1 on line 2. 2026 wants a capital C.",
        "hint": "Upper-case it.",
    }


def test_a_thousand_issues_of_a_code_are_kept_and_all_are_counted(check: Callable[..., Validation]) -> None:
    ids = [f"a{number}" for number in range(1200)]
    found = check("ID,CUIs\n" + "".join(f"{one},lung\n" for one in ids), ids=ids)
    assert found.counts["RUN304"] == 1200
    assert len([issue for issue in found.issues if issue.code == "RUN304"]) == 1000
    assert len(found.to_json()["issues"]) == 1000 + 2


def test_a_run_can_be_read_without_ids(place: Callable[..., Path]) -> None:
    run, found = read_run(place("ID,CUIs\na1.jpg,C1\na1,C2\n", "my_run.csv"), C, edition="2025")
    assert run == Run(C, {"a1": "C1"}, "my_run")
    assert {issue.code for issue in found.issues} >= {"RUN206", "RUN211"}


def test_a_header_alone_says_how_many_rows_are_missing(
    check: Callable[..., Validation], place: Callable[..., Path]
) -> None:
    (issue,) = [one for one in check("ID,CUIs\n").issues if one.code == "RUN110"]
    assert issue.message == "Only a header was found. Rows for 2 images are missing."
    _, found = read_run(place("ID,CUIs\n"), C)
    assert [one.message for one in found.issues] == [
        "Only a header was found. Rows for the images are missing."
    ]


def test_a_file_of_blank_lines_has_no_rows(check: Callable[..., Validation]) -> None:
    found = check("\n\n", "radcap")
    assert errors(found) == [("RUN102", 0, 0)]
    assert found.issues[0].message == "run.csv holds no rows. A run needs one row per image."


def test_limits_can_be_tightened(place: Callable[..., Path]) -> None:
    limits = Limits(file_bytes=1000, rows=2, issues_per_code=1)
    reader = Reader(place("a1,lung\na2,lung\na3,lung\n"), C, "2024", limits=limits)
    assert dict(reader.cells()) == {"a1": "lung", "a2": "lung"}
    assert reader.validation().counts == {"RUN113": 1, "RUN304": 2, "RUN312": 1}
    assert len(reader.validation().issues) == 3


def test_exactly_one_of_ids_and_truth_is_wanted(place: Callable[..., Path]) -> None:
    path = place("a1\n")
    for ids, truth in ((None, None), (path, path)):
        with pytest.raises(UsageError, match="exactly one"):
            expect(C, ids=ids, truth=truth)


def test_an_unknown_edition_is_refused_before_any_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no edition '1999'"):
        validate(tmp_path / "no.csv", C, ids=tmp_path / "none.csv", edition="1999")


def test_an_unknown_task_is_refused(place: Callable[..., Path]) -> None:
    with pytest.raises(UsageError, match=r"no task .smells."):
        validate(place("a1,C1\n"), "smells", ids=place("a1\n"))
