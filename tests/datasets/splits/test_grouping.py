from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dataset_samples import dataset_of, row
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.datasets import Dataset
from radcap.datasets.splits.grouping import find_groups


def made(*rows: dict[str, Any]) -> Dataset:
    return dataset_of([row(f"i{place}", **fields) for place, fields in enumerate(rows)], {})


@pytest.mark.parametrize(
    ("rows", "together"),
    [
        ([{"group": "a"}, {"group": "a"}, {"group": "b"}], [0, 0, 1]),
        ([{"group": ""}, {"group": ""}], [0, 1]),
        ([{"group": "  "}, {"group": ""}], [0, 1]),
        ([{"group": "a", "doi": "10.1/X"}, {"group": "b", "doi": "https://doi.org/10.1/x"}], [0, 0]),
        ([{"group": "PMC12"}, {"group": "", "pmcid": "pmc12.3"}, {"group": "PMC123"}], [0, 0, 1]),
        (
            [
                {"group": "a", "pmcid": "PMC1"},
                {"group": "b", "pmcid": "PMC2"},
                {"group": "b", "pmcid": "PMC1"},
            ],
            [0, 0, 0],
        ),
        # a value of one column is no value of another
        ([{"group": "x", "doi": ""}, {"group": "", "doi": "x"}], [0, 1]),
    ],
)
def test_records_that_share_a_key_are_one_group(rows: list[dict[str, Any]], together: list[int]) -> None:
    numbers = find_groups(made(*rows).table).numbers
    expected = np.array(together)
    assert ((numbers[:, None] == numbers) == (expected[:, None] == expected)).all()


def test_an_id_that_is_there_twice_is_one_image_and_so_one_group() -> None:
    table = dataset_of([row("a", group="g"), row("a", group=""), row("b", group="")], {}).table
    groups = find_groups(table)
    assert groups.numbers.tolist() == [0, 0, 1]
    assert groups.keys == ("group g", "image b")


def test_records_that_name_no_group_are_counted() -> None:
    groups = find_groups(made({"group": ""}, {"group": "a"}, {"group": "", "doi": "10.1/x"}).table)
    assert groups.singles == 1
    assert groups.sizes.tolist() == [1, 1, 1]


def test_given_clusters_join_groups() -> None:
    table = made({"group": "a"}, {"group": "b"}, {"group": "c"}, {"group": "c"}).table
    assert find_groups(table, [[0, 2], [1]]).numbers.tolist() == [0, 1, 0, 0]


def test_no_rows_are_no_groups() -> None:
    groups = find_groups(dataset_of([], {}).table)
    assert (groups.keys, groups.numbers.tolist(), groups.singles) == ((), [], 0)


keys = st.sampled_from(["", "a", "b", "c", "PMC1", "PMC1.2", "10.1/x"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(keys, keys, keys), min_size=1, max_size=14), st.randoms(use_true_random=False))
def test_names_and_numbers_do_not_depend_on_the_order_of_rows(
    rows: list[tuple[str, str, str]], random: Any
) -> None:
    data = made(*({"group": g, "pmcid": p, "doi": d} for g, p, d in rows))
    order = list(range(len(rows)))
    random.shuffle(order)
    straight, shuffled = find_groups(data.table), find_groups(data.take(order).table)
    assert straight.keys == shuffled.keys
    assert straight.numbers[order].tolist() == shuffled.numbers.tolist()
