"""Texts by the batch: whole, in order, and no batch too large."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.batching import in_batches


def test_batches_end_where_their_letters_are_many() -> None:
    assert [len(one) for one in in_batches(["xxx"] * 7, len, letters=10)] == [3, 3, 1]
    assert [len(one) for one in in_batches(["xxx"] * 7, len, letters=100, most=2)] == [2, 2, 2, 1]
    assert list(in_batches([], len, letters=10)) == []


@given(st.lists(st.text("x", max_size=9)), st.integers(1, 20), st.none() | st.integers(1, 5))
def test_batches_are_whole_and_end_in_time(texts: list[str], letters: int, most: int | None) -> None:
    batches = list(in_batches(texts, len, letters=letters, most=most))
    assert [text for batch in batches for text in batch] == texts
    for batch in batches:
        assert 1 <= len(batch) <= (most or len(texts))
        assert sum(len(text) + 1 for text in batch[:-1]) < letters
