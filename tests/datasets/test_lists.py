from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.datasets.lists import (
    lengths,
    membership,
    rows_of,
    shared_in_rows,
    single,
    split_cells,
    where,
    without,
    without_rows_of,
)

TYPE = pa.list_(pa.string())
cells = st.lists(st.lists(st.sampled_from("abcd"), max_size=4), max_size=8)


def parts(rows: list[list[str]]) -> list[pa.Array | pa.ChunkedArray]:
    """The same column whole, as a part of a longer one, and in pieces."""
    longer = pa.array([["z"], *rows, ["z", "z"]], TYPE)
    half = len(rows) // 2
    pieces = [pa.array(rows[:half], TYPE), pa.array(rows[half:], TYPE)]
    return [pa.array(rows, TYPE), longer.slice(1, len(rows)), pa.chunked_array(pieces)]


@settings(max_examples=40, deadline=None)
@given(cells, st.sets(st.sampled_from("abcx")))
def test_lists_are_as_in_python_however_the_column_is_cut(rows: list[list[str]], values: set[str]) -> None:
    for column in parts(rows):
        assert single(column).to_pylist() == rows
        assert single(column).offset == 0
        assert lengths(column).tolist() == [len(row) for row in rows]
        assert rows_of(column).tolist() == [place for place, row in enumerate(rows) for _ in row]
        assert membership(column, values).tolist() == [one in values for row in rows for one in row]
        assert without(column, values).to_pylist() == [
            [one for one in row if one not in values] for row in rows
        ]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abx"))), max_size=8))
def test_rows_less_the_rows_of_another_column(rows: list[tuple[list[str], list[str]]]) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    expected = [[one for one in a if one not in b] for a, b in rows]
    for ours, theirs in zip(parts(first), reversed(parts(second)), strict=True):
        assert without_rows_of(ours, theirs).to_pylist() == expected
        assert shared_in_rows(ours, theirs).tolist() == [one in b for a, b in rows for one in a]


def test_values_are_kept_where_they_are_marked() -> None:
    column = pa.array([["a", "b"], [], ["c"]])
    assert where(column, np.array([False, True, False])).to_pylist() == [["b"], [], []]


@pytest.mark.parametrize(
    ("cell", "separator", "expected"),
    [
        ("C1;C2", ";", ["C1", "C2"]),
        (" C1 ; ;C2;", ";", ["C1", "C2"]),
        ("", ";", []),
        (" ", ";", []),
        ("C1;C2", ",", ["C1;C2"]),
        ("C1\u00a0;C2", ";", ["C1", "C2"]),
    ],
)
def test_cells_are_cut_at_the_separator(cell: str, separator: str, expected: list[str]) -> None:
    assert split_cells(pa.array([cell]), separator).to_pylist() == [expected]


def test_no_rows_stay_no_rows() -> None:
    empty = pa.array([], TYPE)
    assert split_cells(pa.array([], pa.string())).to_pylist() == []
    assert lengths(empty).tolist() == []
    assert without_rows_of(empty, empty).to_pylist() == []
