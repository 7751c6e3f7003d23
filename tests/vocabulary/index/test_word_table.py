from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.index import word_table
from radcap.vocabulary.index.word_table import UNKNOWN, WordTable

if TYPE_CHECKING:
    from collections.abc import Callable

ANY_TEXT = st.text(st.characters(codec=None), max_size=8)


@given(st.lists(ANY_TEXT, unique=True), ANY_TEXT)
def test_each_word_has_its_number_and_others_have_none(words: list[str], other: str) -> None:
    table, numbers = WordTable.of(words)
    assert len(table) == len(words)
    assert sorted(numbers.tolist()) == list(range(len(words)))
    assert [table.number(word) for word in words] == numbers.tolist()
    assert [table.words[one] for one in numbers.tolist()] == words
    assert (table.number(other) == UNKNOWN) is (other not in words)
    again = WordTable.among(table.to_arrays())
    assert [again.number(word) for word in words] == numbers.tolist()


@pytest.mark.parametrize(
    "same", [lambda word: 7, len, lambda word: 2**64 - 1], ids=["all", "length", "largest"]
)
@given(words=st.lists(ANY_TEXT, unique=True, min_size=1), other=ANY_TEXT)
def test_words_with_the_same_hash_are_told_apart(
    same: Callable[[str], int], words: list[str], other: str
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(word_table, "_hash", same)
        table, numbers = WordTable.of(words)
        assert [table.number(word) for word in words] == numbers.tolist()
        assert (table.number(other) == UNKNOWN) is (other not in words)


def test_hashes_are_the_same_everywhere() -> None:
    """An index is made by one process and read by others."""
    table, numbers = WordTable.of(["heart", "", "Herz\ud800"])
    assert table.hashes.tolist() == [0x9C8D88A58D1C78A9, 0xB4B2797457A0A6E4, 0xE2FB8351AE0EEFDA]
    assert numbers.tolist() == [2, 1, 0]
