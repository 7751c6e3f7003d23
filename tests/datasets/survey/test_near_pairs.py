"""Near pairs against comparing all with all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.datasets.survey.near_pairs import MAX_DISTANCE, near_pairs

HASHES = st.integers(0, 2**64 - 1)


def all_pairs(hashes: np.ndarray, distance: int) -> list[list[int]]:
    numbers = [int(one) for one in hashes]
    return [
        [i, j]
        for i in range(len(numbers))
        for j in range(i + 1, len(numbers))
        if (numbers[i] ^ numbers[j]).bit_count() <= distance
    ]


@st.composite
def crowds(draw: st.DrawFn) -> np.ndarray:
    """A few hashes and neighbours of them at small distances."""
    centres = draw(st.lists(HASHES, min_size=1, max_size=4))
    flips = draw(
        st.lists(st.tuples(st.sampled_from(centres), st.lists(st.integers(0, 63), max_size=9)), max_size=30)
    )
    near = [centre ^ sum(1 << bit for bit in set(bits)) for centre, bits in flips]
    return np.array([*centres, *near], np.uint64)


@settings(max_examples=60, deadline=None)
@given(crowds(), st.integers(0, MAX_DISTANCE))
def test_pairs_are_those_of_comparing_all(hashes: np.ndarray, distance: int) -> None:
    assert near_pairs(hashes, distance).tolist() == all_pairs(hashes, distance)


@pytest.mark.parametrize("distance", range(MAX_DISTANCE + 1))
def test_planted_pairs_among_random_hashes_are_found(distance: int) -> None:
    rng = np.random.default_rng(distance)
    hashes = rng.integers(0, 2**64, 300, np.uint64, endpoint=False)
    for place in range(100):
        flips = rng.choice(64, distance + place % 2, replace=False)
        hashes[200 + place] = hashes[place] ^ np.uint64(sum(1 << int(bit) for bit in flips))
    found = near_pairs(hashes, distance).tolist()
    assert found == all_pairs(hashes, distance)
    assert len(found) >= 50


@pytest.mark.parametrize("distance", [3, 7])
def test_equal_hashes_are_all_near_each_other(distance: int) -> None:
    n = 3000 if distance == 3 else 300
    found = near_pairs(np.full(n, 0xABCDEF, np.uint64), distance)
    assert np.array_equal(found, np.stack(np.triu_indices(n, 1), axis=1))


def test_a_crowd_that_shares_one_band_gives_no_false_pairs() -> None:
    rng = np.random.default_rng(5)
    hashes = rng.integers(0, 2**64, 2000, np.uint64, endpoint=False) >> np.uint64(16)
    apart = np.bitwise_count(hashes[:, None] ^ hashes[None, :])
    first, second = np.nonzero(np.triu(apart <= 3, 1))
    assert near_pairs(hashes, 3).tolist() == np.stack((first, second), axis=1).tolist()


@pytest.mark.parametrize("hashes", [[], [7]])
def test_none_or_one_has_no_pairs(hashes: list[int]) -> None:
    found = near_pairs(np.array(hashes, np.uint64))
    assert found.shape == (0, 2)
    assert found.dtype == np.int64


@pytest.mark.parametrize("distance", [-1, 8])
def test_other_distances_are_refused(distance: int) -> None:
    with pytest.raises(UsageError, match="0 to 7"):
        near_pairs(np.zeros(2, np.uint64), distance)
