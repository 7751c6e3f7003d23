from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.index.trie import Spans, Trie

WORDS = 4

Sequence = tuple[int, ...]
SEQUENCES = st.lists(st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=5).map(tuple), max_size=12)


def trie_of(sequences: list[Sequence]) -> tuple[Trie, list[int]]:
    flat = np.array([word for one in sequences for word in one], np.uint32)
    trie, nodes = Trie.of(flat, np.array([len(one) for one in sequences], np.int64), WORDS)
    return trie, [int(one) for one in nodes]


def found(spans: Spans) -> set[tuple[int, int, int]]:
    rows = list(zip(spans.first.tolist(), spans.count.tolist(), spans.node.tolist(), strict=True))
    assert len(set(rows)) == len(rows) == len(spans)
    return set(rows)


@given(
    SEQUENCES,
    st.lists(st.tuples(st.integers(-1, WORDS - 1), st.booleans()), max_size=30),
)
def test_a_walk_finds_each_sequence_everywhere_and_no_other(
    sequences: list[Sequence], row: list[tuple[int, bool]]
) -> None:
    trie, nodes = trie_of(sequences)
    words, joined = [word for word, _ in row], [one for _, one in row]
    expected = {
        (first, len(one), node)
        for one, node in zip(sequences, nodes, strict=True)
        for first in range(len(words) - len(one) + 1)
        if tuple(words[first : first + len(one)]) == one and all(joined[first + 1 : first + len(one)])
    }
    spans = trie.walk(np.array(words, np.int64), np.array(joined, np.bool_))
    assert found(spans) == expected
    again = Trie.among(trie.to_arrays(), WORDS)
    assert found(again.walk(np.array(words, np.int64), np.array(joined, np.bool_))) == expected


@given(SEQUENCES, st.lists(st.integers(0, WORDS - 1), max_size=40))
def test_a_walk_finds_what_regular_expressions_find(sequences: list[Sequence], row: list[int]) -> None:
    """Another machine than ours: an alternation, longest first, tried at every word."""
    trie, _ = trie_of(sequences)
    names = sorted({"".join(map(str, one)) for one in sequences}, key=len, reverse=True)
    pattern = re.compile("|".join(names) if names else "(?!)")
    text = "".join(map(str, row))
    longest = {}
    spans = trie.walk(np.array(row, np.int64), np.ones(len(row), np.bool_))
    for first, count in zip(spans.first.tolist(), spans.count.tolist(), strict=True):
        longest[first] = max(count, longest.get(first, 0))
    matches = {first: pattern.match(text, first) for first in range(len(text))}
    assert longest == {first: len(one[0]) for first, one in matches.items() if one}


@given(SEQUENCES)
def test_equal_sequences_end_at_one_node_and_others_at_others(sequences: list[Sequence]) -> None:
    trie, nodes = trie_of(sequences)
    assert len(set(zip(sequences, nodes, strict=True))) == len(set(sequences)) == len(set(nodes))
    prefixes = {one[:length] for one in sequences for length in range(2, len(one) + 1)}
    assert len(trie.edges) == len(prefixes)
    assert len(trie.marks) == WORDS + len(prefixes)
    assert (np.diff(trie.edges) > 0).all() if len(trie.edges) > 1 else True


def test_an_empty_trie_and_an_empty_row() -> None:
    trie, nodes = trie_of([])
    assert nodes == []
    assert len(trie.walk(np.array([0, 1, -1]), np.ones(3, np.bool_))) == 0
    trie, _ = trie_of([(0,)])
    assert len(trie.walk(np.zeros(0, np.int64), np.zeros(0, np.bool_))) == 0
    assert len(trie.walk(np.array([-1, -1]), np.ones(2, np.bool_))) == 0


def test_some_spans_of_all() -> None:
    spans = Spans(np.array([0, 3]), np.array([1, 2]), np.array([7, 8]))
    assert found(spans.only(np.array([False, True]))) == {(3, 2, 8)}
    assert found(spans.only(np.array([0]))) == {(0, 1, 7)}


@pytest.mark.parametrize("length", [1, 19, 20])
def test_the_longest_keys(length: int) -> None:
    trie, nodes = trie_of([(1,) * length])
    spans = trie.walk(np.ones(length, np.int64), np.ones(length, np.bool_))
    assert found(spans) == {(0, length, nodes[0])}
