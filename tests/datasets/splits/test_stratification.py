from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.datasets.splits.stratification import Strata, stratify, tickets


def textbook(
    records: list[set[int]], shares: list[Fraction], lots: list[int], label_lots: list[int]
) -> list[int]:
    """Algorithm 1 of Sechidis et al. 2011, line by line, in exact numbers; chance is what the lots say."""
    labels = range(len(label_lots))
    room = [share * len(records) for share in shares]
    want = {label: [share * sum(label in one for one in records) for share in shares] for label in labels}
    left = set(range(len(records)))
    chosen = [-1] * len(records)

    def put(record: int, wants: list[Fraction]) -> None:
        best = [place for place in range(len(shares)) if wants[place] == max(wants)]
        most = max(room[place] for place in best)
        best = [place for place in best if room[place] == most]
        place = best[lots[record] % len(best)]
        chosen[record] = place
        left.discard(record)
        room[place] -= 1
        for label in records[record]:
            want[label][place] -= 1

    while counted := {label: n for label in labels if (n := sum(label in records[one] for one in left))}:
        label = min(counted, key=lambda one: (counted[one], label_lots[one]))
        for record in sorted((one for one in left if label in records[one]), key=lots.__getitem__):
            put(record, want[label])
    for record in sorted(left, key=lots.__getitem__):
        put(record, room)
    return chosen


def placed(
    records: list[set[int]], shares: list[Fraction], width: int, seed: int = 0
) -> tuple[list[int], list[int]]:
    pairs = [(row, label) for row, one in enumerate(records) for label in sorted(one)]
    rows, labels = (np.array([pair[at] for pair in pairs], np.int64) for at in (0, 1))
    n = len(records)
    strata = Strata.of(np.arange(n), n, rows, labels, width)
    lots, label_lots = (
        tickets([str(one) for one in range(n)], seed),
        tickets([f"L{one}" for one in range(width)], seed),
    )
    ours = stratify(strata, [float(one) for one in shares], lots, label_lots, np.ones(n, bool))
    return ours.tolist(), textbook(records, shares, lots.tolist(), label_lots.tolist())


def test_an_example_worked_out_by_hand() -> None:
    # Label 1 is the rarer one: two records, wants 1 and 1. Its first goes by lot, since both sides have room
    # for three; its second to the other side. Label 0 has four records: those with label 1 are placed, and
    # the others fill both sides to two each. The two records without labels make it three and three.
    records = [{0, 1}, {0, 1}, {0}, {0}, set(), set()]
    ours, expected = placed(records, [Fraction(1, 2)] * 2, 2)
    assert ours == expected
    assert ours[0] != ours[1]
    assert ours[2] != ours[3]
    assert ours[4] != ours[5]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sets(st.integers(0, 4), max_size=3), min_size=1, max_size=24),
    st.sampled_from([(1, 1), (8, 1, 1), (6, 3, 1), (1,), (2, 1, 1, 1)]),
    st.integers(0, 5),
)
def test_it_is_the_algorithm_of_the_paper_where_groups_are_single_records(
    records: list[set[int]], parts: tuple[int, ...], seed: int
) -> None:
    ours, expected = placed(records, [Fraction(part, sum(parts)) for part in parts], 5, seed)
    assert ours == expected


def test_groups_go_whole_and_the_largest_first() -> None:
    # groups of 6, 2, 1 and 1 records with one label; two halves want five each
    sizes = np.array([6, 2, 1, 1])
    owners = np.repeat(np.arange(4), sizes)
    strata = Strata.of(owners, 4, np.arange(10), np.zeros(10, np.int64), 1)
    chosen = stratify(strata, [0.5, 0.5], tickets("abcd", 0), tickets("x", 0), np.ones(4, bool))
    assert sizes[chosen == chosen[0]].tolist() == [6]


def test_groups_that_are_not_free_are_left_alone_and_not_counted() -> None:
    strata = Strata.of(np.arange(4), 4, np.arange(4), np.zeros(4, np.int64), 1)
    free = np.array([True, False, True, False])
    chosen = stratify(strata, [0.5, 0.5], tickets("abcd", 0), tickets("x", 0), free)
    assert chosen[1] == chosen[3] == -1
    assert sorted(chosen[[0, 2]].tolist()) == [0, 1]


def test_no_groups_are_no_work() -> None:
    empty = np.zeros(0, np.int64)
    strata = Strata.of(empty, 0, empty, empty, 0)
    assert stratify(strata, [1.0], tickets([], 0), tickets([], 0), np.zeros(0, bool)).tolist() == []


def test_tickets_depend_on_seed_and_name_alone() -> None:
    assert tickets(["a", "b"], 1).tolist() == tickets(["b", "a"], 1)[::-1].tolist()
    assert tickets(["a"], 1) != tickets(["a"], 2)
    assert tickets(["\ud800"], 0).dtype == np.uint64


@pytest.mark.parametrize("seed", range(3))
def test_totals_count_marked_groups_only(seed: int) -> None:
    rng = np.random.default_rng(seed)
    owners, labels = rng.integers(0, 5, 40), rng.integers(0, 3, 40)
    strata = Strata.of(owners, 5, np.arange(40), labels, 3)
    marked = rng.random(5) < 0.5
    expected = [int(((labels == label) & marked[owners]).sum()) for label in range(3)]
    assert strata.totals(marked).tolist() == expected
