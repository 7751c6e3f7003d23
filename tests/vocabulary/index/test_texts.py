from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.index.texts import Texts

ANY_TEXT = st.text(st.characters(codec=None))


@given(st.lists(ANY_TEXT))
def test_texts_come_back_as_they_were(texts: list[str]) -> None:
    kept = Texts.of(texts)
    assert list(kept) == texts
    assert len(kept) == len(texts)
    assert [kept[place] for place in range(len(texts))] == texts
    assert [kept.size(place) for place in range(len(texts))] == [
        len(one.encode("utf-8", "surrogatepass")) for one in texts
    ]
    again = Texts.among(kept.to_arrays("x"), "x")
    assert list(again) == texts


def test_the_arrays_have_their_names() -> None:
    arrays = Texts.of(["ab", "", "é"]).to_arrays("words")
    assert {name: one.tolist() for name, one in arrays.items()} == {
        "words.letters": list("abé".encode()),
        "words.starts": [0, 2, 2, 4],
    }
    assert arrays["words.starts"].dtype == np.uint32


def test_there_is_none_behind_the_last() -> None:
    with pytest.raises(IndexError):
        Texts.of(["a"])[1]
