from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from radcap.datasets.columns import CAPTIONS, COLUMNS, CUIS, NAMES, captions_of_texts, empty_table, make_table


def caption(text: str | None, source: str | None = "original", language: str | None = "") -> dict[str, Any]:
    return {"text": text, "source": source, "language": language}


def test_a_table_has_every_column_in_order_and_further_ones_behind() -> None:
    table = make_table({"year": ["2020"], "split": ["train"], "image_id": ["a"]}, 1)
    assert table.column_names == [*NAMES, "year"]
    assert [table.schema.field(name).type for name in NAMES] == list(COLUMNS.values())
    assert table.to_pylist() == [
        {
            **dict.fromkeys(NAMES, ""),
            "image_id": "a",
            "split": "train",
            "captions": [],
            "cui": [],
            "cui_manual": [],
            "year": "2020",
        }
    ]


def test_no_rows_are_a_table_too() -> None:
    assert empty_table().num_rows == 0
    assert empty_table().column_names == list(NAMES)


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("group", [None, "a"], ["", "a"]),
        ("group", pa.array([1, None]), ["1", ""]),
        ("group", pa.chunked_array([["a"], ["b"]]), ["a", "b"]),
        ("group", pa.array(["a", "b"], pa.large_string()), ["a", "b"]),
        ("group", pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
        ("cui", [["C1"], None], [["C1"], []]),
        ("cui", [["C1", None, "C2"], []], [["C1", "C2"], []]),
        ("cui", pa.array([["x"], ["C1", None]], CUIS).slice(0), [["x"], ["C1"]]),
        ("captions", [[caption("a")], None], [[caption("a")], []]),
        ("captions", [[caption(None, None, None)], []], [[caption("", "", "")], []]),
        ("captions", [[None, caption("a")], []], [[caption("a")], []]),
        ("year", [2020, None], ["2020", ""]),
        ("year", pa.array([2020, None]), ["2020", ""]),
    ],
)
def test_nothing_is_null_at_any_depth(name: str, given: Any, expected: list[Any]) -> None:
    if name == "year" and isinstance(given, list):
        given = pa.array(given)
    table = make_table({name: given}, 2)
    assert table[name].to_pylist() == expected
    assert isinstance(table[name].combine_chunks(), pa.Array)


def test_a_part_of_a_column_of_captions_loses_its_nulls_too() -> None:
    cells = pa.array([[caption("x")], [caption("a", None)], None, [caption("b")]], CAPTIONS)
    table = make_table({"captions": cells.slice(1, 2)}, 2)
    assert table["captions"].to_pylist() == [[caption("a", "")], []]


def test_texts_become_captions_and_empty_ones_none() -> None:
    captions = captions_of_texts(["a", "", "b"])
    assert captions.type == CAPTIONS
    assert captions.to_pylist() == [[caption("a")], [], [caption("b")]]


def test_sources_and_languages_stay_with_their_texts() -> None:
    captions = captions_of_texts(["a", "", "b"], ["composed", "original", "translated"], ["en", "x", None])
    assert captions.to_pylist() == [[caption("a", "composed", "en")], [], [caption("b", "translated", "")]]
