"""Letters: two runs share one if and only if they do not differ, and no letter is too many."""

from __future__ import annotations

import re
import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.stats import compact_letters
from radcap.stats.letters import letter

Matrix = list[list[bool]]


def matrix(runs: int, pairs: set[tuple[int, int]]) -> Matrix:
    """The matrix in which these pairs differ."""
    return [[(min(a, b), max(a, b)) in pairs for b in range(runs)] for a in range(runs)]


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    runs = draw(st.integers(1, 8))
    pairs = list(combinations(range(runs), 2))
    return matrix(runs, draw(st.sets(st.sampled_from(pairs))) if pairs else set())


@st.composite
def ladders(draw: st.DrawFn) -> Matrix:
    """Runs that differ if their values are far enough apart, as with one standard error for all."""
    values = sorted(draw(st.lists(st.integers(0, 30), min_size=1, max_size=12)), reverse=True)
    gap = draw(st.integers(1, 12))
    return [[abs(a - b) >= gap for b in values] for a in values]


def groups_of(letters: list[str]) -> dict[str, frozenset[int]]:
    """The runs of each letter, in the order of the letters."""
    found: dict[str, set[int]] = {}
    for run, text in enumerate(letters):
        for name in re.findall(r"[a-z]\d*", text):
            found.setdefault(name, set()).add(run)
    return {name: frozenset(group) for name, group in found.items()}


def maximal_groups(differs: Matrix) -> set[frozenset[int]]:
    """All sets of runs of which no two differ and that no other run can join, by trying every set."""
    runs = range(len(differs))
    alike = [
        frozenset(chosen)
        for size in range(1, len(differs) + 1)
        for chosen in combinations(runs, size)
        if not any(differs[a][b] for a, b in combinations(chosen, 2))
    ]
    return {group for group in alike if not any(group < other for other in alike)}


def inserted_and_absorbed(differs: Matrix) -> set[frozenset[int]]:
    """The algorithm of Piepho (2004): split every column that holds a differing pair, absorb what is held."""
    columns = {frozenset(range(len(differs)))}
    for first, second in combinations(range(len(differs)), 2):
        if differs[first][second]:
            halves = {column - {run} for column in columns for run in (first, second)}
            columns = {one for column in columns for one in (column, *halves) if not {first, second} <= one}
            columns = {one for one in columns if not any(one < other for other in columns)}
    return columns


def covered(groups: list[frozenset[int]]) -> set[tuple[int, ...]]:
    """The pairs that share a letter, and the runs that have one."""
    pairs = {pair for group in groups for pair in combinations(sorted(group), 2)}
    return pairs | {(run,) for group in groups for run in group}


@pytest.mark.parametrize(
    ("runs", "pairs", "expected"),
    [
        (0, set(), []),
        (1, set(), ["a"]),
        (3, set(), ["a", "a", "a"]),
        (3, {(0, 1), (0, 2), (1, 2)}, ["a", "b", "c"]),
        (3, {(0, 2)}, ["a", "ab", "b"]),
        (4, {(0, 1), (0, 3)}, ["a", "b", "ab", "b"]),
        (4, {(0, 2), (1, 3)}, ["ab", "ac", "cd", "bd"]),
    ],
    ids=[
        "no run",
        "one run",
        "none differs",
        "all differ",
        "the middle shares both",
        "not by rank",
        "a ring",
    ],
)
def test_letters(runs: int, pairs: set[tuple[int, int]], expected: list[str]) -> None:
    assert compact_letters(matrix(runs, pairs)) == expected


def test_a_letter_whose_pairs_are_all_in_others_is_left_out() -> None:
    """Three groups around a middle one: the middle one says nothing new."""
    alike = {(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (1, 4), (2, 4), (0, 5), (2, 5)}
    differs = matrix(6, set(combinations(range(6), 2)) - alike)
    found = set(groups_of(compact_letters(differs)).values())
    assert found == {frozenset({0, 1, 3}), frozenset({1, 2, 4}), frozenset({0, 2, 5})}
    assert maximal_groups(differs) - found == {frozenset({0, 1, 2})}


@settings(max_examples=150, deadline=None)
@given(matrices())
def test_runs_share_a_letter_if_and_only_if_they_do_not_differ(differs: Matrix) -> None:
    letters = [set(re.findall(r"[a-z]\d*", text)) for text in compact_letters(differs)]
    assert all(letters)
    assert "a" in letters[0]
    for one, other in combinations(range(len(differs)), 2):
        assert bool(letters[one] & letters[other]) is not differs[one][other]


@settings(max_examples=150, deadline=None)
@given(matrices())
def test_every_letter_is_as_full_as_it_can_be_and_none_can_be_left_out(differs: Matrix) -> None:
    groups = list(groups_of(compact_letters(differs)).values())
    assert len(set(groups)) == len(groups)
    assert set(groups) <= maximal_groups(differs)
    for place in range(len(groups)):
        assert covered(groups[:place] + groups[place + 1 :]) != covered(groups)


@settings(max_examples=100, deadline=None)
@given(ladders())
def test_where_differing_goes_by_value_the_letters_are_those_of_piepho(differs: Matrix) -> None:
    groups = list(groups_of(compact_letters(differs)).values())
    assert set(groups) == inserted_and_absorbed(differs)
    assert [min(group) for group in groups] == sorted(min(group) for group in groups)


@settings(max_examples=50, deadline=None)
@given(matrices())
def test_the_algorithm_of_piepho_finds_all_maximal_groups(differs: Matrix) -> None:
    """Which makes the reference above worth comparing with."""
    assert inserted_and_absorbed(differs) == maximal_groups(differs)


def test_more_than_26_letters_go_on_with_numbers() -> None:
    letters = compact_letters(matrix(60, set(combinations(range(60), 2))))
    assert letters == [letter(place) for place in range(60)]
    assert (letters[25], letters[26], letters[51], letters[52]) == ("z", "a1", "z1", "a2")


def test_a_hundred_runs_with_any_pattern_take_a_moment() -> None:
    """Inserting and absorbing needed minutes here."""
    upper = np.triu(np.random.default_rng(1).random((100, 100)) < 0.5, 1)
    start = time.process_time()
    letters = compact_letters((upper | upper.T).tolist())
    assert time.process_time() - start < 2
    assert len(letters) == 100
