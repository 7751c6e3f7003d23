from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.linking.overlaps import longest

Span = tuple[int, int]


def stays(spans: list[Span]) -> list[int]:
    first = np.array([one for one, _ in spans], np.int64)
    count = np.array([words for _, words in spans], np.int64)
    return np.flatnonzero(longest(first, count)).tolist()


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        ([], []),
        ([(3, 1)], [0]),
        ([(0, 2), (2, 2)], [0, 1]),
        ([(0, 2), (1, 2)], [0]),
        ([(1, 2), (0, 2)], [1]),
        ([(0, 2), (1, 3)], [1]),
        ([(0, 1), (0, 3), (1, 1), (3, 1)], [1, 3]),
        ([(0, 1), (0, 1)], [0]),
        ([(5, 2), (5, 2), (0, 1)], [0, 2]),
        ([(0, 2), (1, 3), (3, 2)], [1]),  # what goes makes no room
        ([(0, 3), (2, 4), (5, 3)], [1]),
    ],
)
def test_which_spans_stay(spans: list[Span], kept: list[int]) -> None:
    assert stays(spans) == kept


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 5))))
def test_the_longest_first_and_then_the_first(spans: list[Span]) -> None:
    taken: set[int] = set()
    expected = []
    for place in sorted(range(len(spans)), key=lambda one: (-spans[one][1], spans[one][0], one)):
        words = range(spans[place][0], sum(spans[place]))
        if taken.isdisjoint(words):
            taken.update(words)
            expected.append(place)
    assert stays(spans) == sorted(expected)
