"""The concept cell: what is said about it, in words a participant can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from radcap.formats import read_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.formats import Validation


def messages(check: Callable[..., Validation], cell: str, edition: str = "2026") -> list[str]:
    """What is said about the cell of the first image, the second one being faultless."""
    found = check(f"ID,CUIs\na1,{cell}\na2,C0040405\n", edition)
    return [f"{one.code} {one.message} {one.hint}" for one in found.issues if one.line == 2]


SENTENCES = [
    ("C1;C2", []),
    ("C1;C1;C1", ["RUN302 C1 stands 3 times on line 2. Each CUI once. Delete repeats."]),
    (
        "C1;;",
        [
            "RUN302 An empty part stands 2 times on line 2. Each CUI once. Delete repeats.",
            (
                "RUN303 Line 2 ends with or doubles ';'. The empty part counts as a wrong concept. "
                "Remove the ';'."
            ),
        ],
    ),
    ("lung", ["RUN304 'lung' on line 2. A CUI is C and digits. Correct or drop it."]),
    ("c1", ["RUN305 c1 on line 2. 2026 wants a capital C. Upper-case it."]),
    (" C1", ["RUN306 The cell is ' C1'. 2026 refuses outer blanks. Trim it."]),
    ("C1 C2", ["RUN307 'C1 C2' on line 2. CUIs are parted by ';'. Replace ' '."]),
    ("C1,C2", ["RUN307 'C1,C2' on line 2. CUIs are parted by ';'. Replace ','."]),
    ("C1,", ["RUN307 'C1,' on line 2. CUIs are parted by ';'. Replace ','."]),
    ("C1,lung", ["RUN202 Line 2 has 3 cells. Two are allowed. Quote the second cell."]),
    (
        "C1;c1",
        [
            "RUN308 C1 and c1 on line 2 are one concept. Only one counts. Keep one.",
            "RUN305 c1 on line 2. 2026 wants a capital C. Upper-case it.",
        ],
    ),
]


@pytest.mark.parametrize(("cell", "said"), SENTENCES)
def test_what_is_said_about_a_cell(cell: str, said: list[str], check: Callable[..., Validation]) -> None:
    assert messages(check, cell) == said


def test_an_id_alone_is_told_to_add_the_separator(check: Callable[..., Validation]) -> None:
    found = check("ID,CUIs\na1\na2,C0040405\n")
    assert [f"{one.message} {one.hint}" for one in found.issues if one.line] == [
        "Line 2 is only a1. 2026 needs two cells. Add the separator."
    ]


def test_images_without_cui_are_counted_once_for_the_file(check: Callable[..., Validation]) -> None:
    found = check("ID,CUIs\na1\na2,\na3, ;\n", "2025", ids=["a1", "a2", "a3"])
    (issue,) = [one for one in found.issues if one.code == "RUN310"]
    assert issue.message == "Images without a CUI: 3. They score 0 wherever the truth names one."


@pytest.mark.parametrize(
    ("edition", "cell", "without"),
    [
        ("2025", "C0920367", 0),
        ("2024", "C0920367", 1),
        ("2025", "c0040405", 0),
        ("2025", "C0817096", 1),
        ("2025", "", 1),
        ("2022", "C0817096", 0),
    ],
)
def test_rows_without_a_modality_of_the_edition_are_counted(
    edition: str, cell: str, without: int, check: Callable[..., Validation]
) -> None:
    sign = "|" if edition == "2022" else ","
    found = check(f"a1{sign}{cell}\na2{sign}C0040405\n", edition)
    assert found.counts.get("RUN312", 0) == without


def test_a_file_parted_by_semicolons_is_one_finding_not_one_per_row(check: Callable[..., Validation]) -> None:
    found = check("ID;CUIs\na1;C1;C2\na2;C3;C4\n")
    assert set(found.counts) == {"RUN103", "RUN111", "RUN312"}


@pytest.mark.parametrize(("edition", "code"), [("2017", "RUN304"), ("2020", "RUN304"), ("2021", None)])
def test_blanks_around_a_cui_inside_the_cell_count_only_before_2021(
    edition: str, code: str | None, check: Callable[..., Validation]
) -> None:
    sign = "|" if edition == "2021" else "\t"
    found = check(f"a1{sign}C1; C2\na2{sign}C3\n", edition)
    assert list(found.counts) == ([] if code is None else [code])


def test_only_cuis_are_looked_up_in_the_vocabulary(
    check: Callable[..., Validation], place: Callable[..., Path]
) -> None:
    known = place("C1\nC2\n", "known.txt")
    found = check("ID,CUIs\na1,C1;lung;c2\na2,C7;C8\n", "2025", vocabulary=known)
    assert [one.message for one in found.issues if one.code == "RUN309"] == [
        "C7 on line 3. It never occurs in the development labels.",
        "C8 on line 3. It never occurs in the development labels.",
    ]


@pytest.mark.parametrize(
    ("edition", "row", "cell"),
    [
        ("2025", "a1,C1,c2", "C1;c2"),
        ("2025", "a1,C1,", "C1"),
        ("2025", "a1,C1,lung", "C1"),
        ("2025", "a1, c1 ;", " c1 ;"),
        ("radcap", "a1, c1 ;", "C1"),
        ("radcap", "a1,C1 c2,C3", "C1;C2"),
    ],
)
def test_the_cell_that_is_scored(edition: str, row: str, cell: str, place: Callable[..., Path]) -> None:
    run, _ = read_run(place(f"ID,CUIs\n{row}\n"), "concepts", edition=edition)
    assert run.cells["a1"] == cell
