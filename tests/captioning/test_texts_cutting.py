"""Long captions that end early, and words that are said twice."""

from __future__ import annotations

from itertools import pairwise

import pytest
from captioning_samples_texts import texts
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.texts import cleaned
from radcap.captioning.texts.cutting import cut_to_words
from radcap.captioning.texts.repetition import without_repeats

CUTS = [
    ("CT of the chest.", 4, "CT of the chest."),
    ("CT of the chest. There is a mass.", 6, "CT of the chest."),
    ("One two three. Four five six. Seven eight nine.", 7, "One two three. Four five six."),
    ("One two. Three four five six seven eight", 7, "One two. Three four five six seven"),  # too early a stop
    ("A mass (arrow). No effusion is seen here", 5, "A mass (arrow)."),
    ("A mass as in Fig. 3 and more of it", 5, "A mass as in Fig."),
    ("A mass of 3 mm. in the left lobe", 6, "A mass of 3 mm. in"),  # a small letter follows
    ("A mass, an effusion and more of it", 5, "A mass, an effusion and"),
    ("A mass with effusion, an enlarged heart and more", 6, "A mass with effusion"),
    ("One two three four", 1, "One"),
]


@pytest.mark.parametrize(("text", "most", "expected"), CUTS)
def test_cuts(text: str, most: int, expected: str) -> None:
    assert cut_to_words(text, most) == expected


@given(texts.map(cleaned), st.integers(1, 12))
def test_what_is_left_is_a_beginning_of_enough_words(text: str, most: int) -> None:
    cut = cut_to_words(text, most)
    assert text.startswith(cut)
    assert len(cut.split()) <= most
    assert cut == text or len(text.split()) > most
    assert cut_to_words(cut, most) == cut


REPEATS = [
    ("", ""),
    ("CT of the the chest", "CT of the chest"),
    ("CT CT CT CT", "CT"),
    ("CT of the the chest, of the chest", "CT of the chest"),
    (" ".join(f"word{n}a word{n}a" for n in range(500)), " ".join(f"word{n}a" for n in range(500))),
    ("CT of the chest, CT of the chest, CT of the chest.", "CT of the chest."),
    ("a mass in the liver and in the liver and in the lung", "a mass in the liver and in the lung"),
    ("A mass. A mass is seen", "A mass is seen"),
    ("A mass of the liver. Liver metastases.", "A mass of the liver. Liver metastases."),
    ("Axial CT. There is a mass. There is a mass. End", "Axial CT. There is a mass. End"),
    ("5 5 mm, A A, 1 2 1 2", "5 5 mm, A A, 1 2 1 2"),
    ("high patella (patella alta)", "high patella (patella alta)"),
    ("(left patella) patella", "(left patella) patella"),
    ("the the - - the", "the - - the"),
]


@pytest.mark.parametrize(("text", "expected"), REPEATS)
def test_repeats(text: str, expected: str) -> None:
    assert without_repeats(text) == expected


@given(st.lists(st.sampled_from(["mass", "liver,", "of", "the.", "The"]), max_size=16))
def test_no_word_follows_itself_within_a_sentence_and_none_is_new(words: list[str]) -> None:
    left = without_repeats(" ".join(words)).split()
    assert without_repeats(" ".join(left)).split() == left
    assert set(left) <= set(words)
    assert {one.strip(".,").lower() for one in left} == {one.strip(".,").lower() for one in words}
    assert not any(one == other for one, other in pairwise(left) if not one.endswith("."))
