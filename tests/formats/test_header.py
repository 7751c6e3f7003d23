"""The first line: header, image, or neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from radcap.core import Level, Task
from radcap.formats import read_run, validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.formats import Validation

C, K = Task.CONCEPTS, Task.CAPTIONS


@pytest.mark.parametrize("edition", ["2021", "2023", "2024", "2025", "rocov2", "radcap"])
def test_a_concept_run_needs_no_header_before_2026(edition: str, check: Callable[..., Validation]) -> None:
    sign = "|" if edition == "2021" else ","
    found = check(f"a1{sign}C1\na2{sign}C2\n", edition)
    assert found.ok
    assert found.rows == 2


@pytest.mark.parametrize("name", ["id", "ID", "Image", "image_id", "figureId", "FileName", " Name "])
def test_usual_names_of_an_id_column_are_never_counted_as_an_image(
    name: str, check: Callable[..., Validation]
) -> None:
    assert check(f"{name}\tx\na1\tC1\na2\tC2\n", "2017").counts == {"RUN109": 1}
    assert check(f"{name},x\na1,C1\na2,C0040405\n", "radcap").counts == {"RUN108": 1, "RUN312": 1}


@pytest.mark.parametrize("edition", ["2017", "2024", "2025", "2026", "radcap"])
def test_an_image_that_is_called_like_a_column_is_an_image(edition: str, place: Callable[..., Path]) -> None:
    sign, header = ("\t", "") if edition == "2017" else (",", "ID,CUIs\n" if edition == "2026" else "")
    ids = place("images\nname\nfile\n", "ids.csv")
    run = place(f"{header}name{sign}C1\nfile{sign}C2\n")
    # the first line of the list of ids is taken for its header, so two ids are expected
    found = validate(run, C, ids=ids, edition=edition)
    assert found.rows == 2
    assert {issue.code for issue in found.issues if issue.level is Level.ERROR} == set()


def test_the_message_shows_the_line_and_the_header_that_is_wanted(check: Callable[..., Validation]) -> None:
    (issue,) = [one for one in check("a1,C1\na2,C2\n").issues if one.code == "RUN107"]
    assert issue.message == "Line 1 is 'a1,C1'. Edition 2026 expects the header ID,CUIs."
    (issue,) = [one for one in check("id,Caption\na1,x\na2,y\n", task=K).issues if one.code == "RUN108"]
    assert issue.message == "The header is 'id,Caption'. It must be exactly ID,Caption, same case."


def test_the_first_image_of_a_file_without_header_is_kept_in_2026(place: Callable[..., Path]) -> None:
    run, _ = read_run(place("a1,C1\na2,C2\n"), C, edition="2026")
    assert list(run.cells) == ["a1", "a2"]


def test_a_first_line_without_any_digit_is_taken_for_a_strange_header(place: Callable[..., Path]) -> None:
    run, found = read_run(place("picture,labels\na1,C1\n"), C, edition="2026")
    assert list(run.cells) == ["a1"]
    assert found.counts["RUN107"] == 1


@pytest.mark.parametrize(("edition", "known", "code"), [("2025", True, "RUN410"), ("2025", False, "RUN107")])
def test_a_caption_run_of_2025_without_header_is_refused_for_one_of_two_reasons(
    edition: str, known: bool, code: str, check: Callable[..., Validation]
) -> None:
    found = check("a1,x\na2,y\n", edition, K, ids=["a1", "a2"] if known else ["a2", "a3"])
    assert [one.code for one in found.issues if one.code in {"RUN107", "RUN410"}] == [code]


def test_without_ids_a_caption_run_of_2025_without_header_loses_its_first_image(
    place: Callable[..., Path],
) -> None:
    _, found = read_run(place("a1,x\na2,y\n"), K, edition="2025")
    assert found.counts == {"RUN103": 1, "RUN410": 1}
