"""What stands in a cell, and the one safe reading of a slip in it."""

from __future__ import annotations

import re
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.formats.cells import (
    CLEAN_CONCEPTS,
    HEADER_NAMES,
    clean_caption,
    clean_concepts,
    clean_id,
    file_ending,
    join_concepts,
    split_concepts,
    wrong_separator,
)


@pytest.mark.parametrize(
    ("cell", "raw", "stripped"),
    [
        ("", [""], [""]),
        ("C1", ["C1"], ["C1"]),
        ("C1; C2;", ["C1", " C2", ""], ["C1", "C2", ""]),
    ],
)
def test_a_cell_is_split_as_the_evaluators_split_it(cell: str, raw: list[str], stripped: list[str]) -> None:
    assert split_concepts(cell, strip=False) == raw
    assert split_concepts(cell, strip=True) == stripped


@pytest.mark.parametrize(
    ("part", "sign"),
    [
        ("C1 C2", " "),
        ("C1,C2", ","),
        ("C1 | c2 | C3", "|"),
        ("C1/C2", "/"),
        ("C1+C2", "+"),
        ("C1&C2", "&"),
        ("C1\tC2", "\t"),
        ("C1", None),
        ("lung C1", None),
        ("C1,", None),
        ("C1-C2", None),
        ("C1C2", None),
        ("C1,,C2", None),
        ("", None),
    ],
)
def test_the_sign_where_a_semicolon_belongs(part: str, sign: str | None) -> None:
    assert wrong_separator(part) == sign


@pytest.mark.parametrize(
    ("cell", "clean"),
    [
        ("", ""),
        (" ", ""),
        (";;", ""),
        ("C1;C2", "C1;C2"),
        ("c1; C2 ;c1", "C1;C2"),
        ("C1, c2 C3|C4", "C1;C2;C3;C4"),
        ("C1\nC2", "C1;C2"),
        ("lung;c1", "lung;C1"),
        ("lung\nand heart;c1", "lung and heart;C1"),
        ("C1 or C2", "C1 or C2"),
    ],
)
def test_concepts_are_tidied_and_what_is_none_stays(cell: str, clean: str) -> None:
    assert clean_concepts(cell) == clean


PARTS = st.lists(st.sampled_from(["C1", "c1", " C2 ", "C3 c4", "C5,C6", "", " ", "lung", "C1 or C2"]))


@given(PARTS.map(";".join))
@settings(max_examples=100, deadline=None)
def test_tidying_changes_no_prediction_and_is_done_once(cell: str) -> None:
    clean = clean_concepts(cell)
    assert set(re.findall(r"C\d", clean.upper())) == set(re.findall(r"C\d", cell.upper()))
    assert ("lung" in clean) == ("lung" in cell)
    assert clean_concepts(clean) == clean
    if "lung" not in cell and "or" not in cell:
        assert clean == "" or CLEAN_CONCEPTS.fullmatch(clean)


@pytest.mark.parametrize(
    ("cells", "joined"),
    [
        (["C1", "C2"], "C1;C2"),
        (["C1", ""], "C1"),
        (["", ""], ""),
        (["C1;c2", " C3"], "C1;c2;C3"),
        (["C1", "lung"], None),
        (["C1", "C2 C3"], None),
    ],
)
def test_cells_that_were_one_are_joined_if_all_of_them_are_cuis(cells: list[str], joined: str | None) -> None:
    assert join_concepts(cells) == joined


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("x", "x"),
        (" x ", "x"),
        ("x\ny", "x y"),
        ("x \r\n\r\n  y\n", "x y"),
        ("x  y", "x  y"),
        ("x\u2028y\x0cz", "x\u2028y\x0cz"),
        ("", ""),
    ],
)
def test_a_caption_comes_on_one_line_and_is_otherwise_left_alone(text: str, clean: str) -> None:
    assert clean_caption(text) == clean


@pytest.mark.parametrize(
    ("image_id", "ending"),
    [("a.jpg", ".jpg"), ("a.JPEG", ".JPEG"), ("a.dcm", ".dcm"), ("a.tar", ""), ("a", ""), ("a.jpg.b", "")],
)
def test_the_ending_of_an_image_file(image_id: str, ending: str) -> None:
    assert file_ending(image_id) == ending


@pytest.mark.parametrize(
    ("image_id", "clean"),
    [
        ("a1", "a1"),
        (" a1\t", "a1"),
        ("a1.jpg", "a1"),
        ("b.png", "b.png"),
        ("z9.jpg", "z9.jpg"),
        ("  ", ""),
    ],
)
def test_an_id_is_trimmed_and_loses_an_ending_only_to_become_known(image_id: str, clean: str) -> None:
    assert clean_id(image_id, {"a1", "b.png", "b"}.__contains__) == clean


@pytest.mark.parametrize(
    "text", ["x" + " " * 30_000 + "y", "C1" + " " * 30_000 + "x", "C1 " * 10_000 + "x", ";" * 30_000]
)
def test_thirty_thousand_blanks_cost_nothing(text: str) -> None:
    start = perf_counter()
    clean_concepts(text)
    clean_caption(text)
    wrong_separator(text)
    assert perf_counter() - start < 10


def test_header_names_are_lower_case_as_they_are_compared() -> None:
    assert all(name == name.casefold().strip() for name in HEADER_NAMES)
