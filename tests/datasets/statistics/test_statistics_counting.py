"""Counts and spreads: against collections.Counter and the statistics module."""

from __future__ import annotations

import json
import statistics as reference
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.datasets.statistics.counting import Count, count_values, distribution, partition
from radcap.datasets.statistics.plain import plain


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=40))
def test_a_spread_is_that_of_the_standard_library(values: list[int]) -> None:
    found = distribution(np.array(values))
    assert found.mean == pytest.approx(reference.mean(values))
    assert found.median == reference.median(values)
    assert (found.n, found.total, found.minimum, found.maximum) == (
        len(values),
        sum(values),
        min(values),
        max(values),
    )
    assert dict(found.histogram) == Counter(values)
    assert found.below(7) == sum(value < 7 for value in values)


def test_a_spread_of_nothing_is_zero() -> None:
    found = distribution(np.array([], np.int64))
    assert (found.n, found.mean, found.maximum, found.histogram) == (0, 0.0, 0, ())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["", "a", "b", "\u00e4", "C"]), max_size=30))
def test_values_are_counted_as_counter_does_less_the_empty_ones(values: list[str]) -> None:
    found = count_values(pa.array(values, pa.string()))
    expected = {name: n for name, n in Counter(values).items() if name}
    assert {one.name: one.n for one in found} == expected
    assert list(found) == sorted(found, key=lambda one: (-one.n, one.name))


def test_weights_say_how_much_a_row_counts() -> None:
    found = count_values(pa.array(["a", "b", "a"]), np.array([1, 0, 3]))
    assert found == (Count("a", 4),)


@pytest.mark.parametrize("cut", [0, 2])
def test_a_part_of_a_column_is_counted_alone(cut: int) -> None:
    column = pa.array(["a", "a", "b", "c"]).slice(cut)
    assert {one.name: one.n for one in count_values(column)} == Counter(column.to_pylist())


def test_a_partition_has_every_row_once() -> None:
    found = partition(pa.array(["b", "", "a", "b"]))
    assert found.names == ("b", "a", "unknown")
    assert found.sizes == (2, 1, 1)
    assert [found.name_of(row) for row in range(4)] == ["b", "unknown", "a", "b"]
    assert found.rows(0).tolist() == [0, 3]


def test_a_partition_of_free_text_ends_in_one_group() -> None:
    found = partition(pa.array([f"text {number}" for number in range(100)]), most=3)
    assert found.names == ("text 0", "text 1", "text 10", "all others")
    assert found.sizes == (1, 1, 1, 97)


def test_a_partition_keeps_the_order_it_is_given() -> None:
    found = partition(pa.array(["b", "a", "b"]), ["a", "b", "c"], most=1)
    assert found.sizes == (1, 2, 0)


def test_plain_values_are_json() -> None:
    value = {"counts": (Count("a", 1),), "list": [1.5, None, "x"]}
    assert json.loads(json.dumps(plain(value))) == {
        "counts": [{"name": "a", "n": 1}],
        "list": [1.5, None, "x"],
    }
