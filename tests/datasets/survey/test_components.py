"""Connected components against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from radcap.datasets.survey.components import components, groups_of_many


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_components_are_those_of_scipy(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 40))
    node = st.integers(0, n - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(node, node), max_size=40)), np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), (n, n))
    _, labels = connected_components(graph, directed=False)
    lowest = [int(np.flatnonzero(labels == label)[0]) for label in labels]
    assert components(n, pairs).tolist() == lowest


@pytest.mark.parametrize("order", ["forward", "backward", "mixed"])
def test_a_long_chain_is_one(order: str) -> None:
    n = 50_000
    places = {
        "forward": np.arange(n),
        "backward": np.arange(n)[::-1],
        "mixed": np.random.default_rng(0).permutation(n),
    }
    chain = places[order]
    assert not components(n, np.stack((chain[:-1], chain[1:]), axis=1)).any()


def test_nothing_has_no_components() -> None:
    assert components(0, np.zeros((0, 2), np.int64)).tolist() == []
    assert groups_of_many(np.zeros(0, np.int64)) == ()


def test_groups_are_those_with_more_than_one() -> None:
    assert groups_of_many(np.array([5, 2, 5, 9, 2, 2])) == ((0, 2), (1, 4, 5))
