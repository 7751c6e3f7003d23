from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.index.groups import Groups

COUNT = 6


@given(st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, 60_000))))
def test_each_owner_has_its_values_in_their_order(rows: list[tuple[int, int]]) -> None:
    owners = np.array([owner for owner, _ in rows], np.uint32)
    values = np.array([value for _, value in rows], np.uint16)
    groups = Groups.of(owners, values, COUNT)
    expected = [[value for owner, value in rows if owner == wanted] for wanted in range(COUNT)]
    assert [groups[owner].tolist() for owner in range(COUNT)] == expected
    again = Groups.among(groups.to_arrays("types"), "types")
    assert [again[owner].tolist() for owner in range(COUNT)] == expected
    assert again.values.dtype == np.uint16


def test_no_owners() -> None:
    groups = Groups.of(np.zeros(0, np.uint32), np.zeros(0, np.uint16), 0)
    assert groups.starts.tolist() == [0]
