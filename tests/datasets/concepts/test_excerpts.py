"""Captions with marks, cut around them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.datasets.concepts.excerpts import excerpt
from radcap.report.markup import escaped, visible
from radcap.vocabulary import Mention


def at(text: str, *words: str, negated: bool = False) -> list[Mention]:
    return [
        Mention(start := text.index(word), start + len(word), word, "C1", word, negated=negated)
        for word in words
    ]


def test_the_words_are_marked_where_they_stand() -> None:
    text = "Effusion & <b>, then a second effusion."
    made = excerpt(text, at(text, "Effusion", "effusion"))
    assert made == "<mark>Effusion</mark> &amp; &lt;b&gt;, then a second <mark>effusion</mark>."


def test_a_denial_is_said() -> None:
    text = "No effusion."
    assert excerpt(text, at(text, "effusion", negated=True)) == (
        'No <mark><span class="said">(denied) </span>effusion</mark>.'
    )


def test_a_place_inside_another_is_not_marked_twice() -> None:
    text = "viral pneumonia"
    assert excerpt(text, at(text, "viral pneumonia", "pneumonia")) == "<mark>viral pneumonia</mark>"


@pytest.mark.parametrize(
    ("text", "word", "shown"),
    [
        ("a effusion " + "b " * 200, "effusion", r"a <mark>effusion</mark> (b )*b…"),
        ("a " * 200 + "effusion", "effusion", r"…(a )+<mark>effusion</mark>"),
        ("a " * 200 + "effusion " + "b " * 200, "effusion", r"…(a )+<mark>effusion</mark> (b )*b…"),
        ("x" * 400 + "effusion" + "y" * 400, "effusion", r"…x+<mark>effusion</mark>y*…"),
        ("a " * 100 + "e" * 500 + " b", "e" * 500, r"…(a )+<mark>e{500}</mark>…"),
    ],
    ids=["at the start", "at the end", "in the middle", "without blanks", "longer than the room"],
)
def test_a_long_caption_is_cut_between_words(text: str, word: str, shown: str) -> None:
    assert re.fullmatch(shown, excerpt(text, at(text, word)))


def test_without_a_place_the_beginning_is_shown() -> None:
    assert excerpt("one two three", [], room=8) == "one two\u2026"
    assert excerpt("one", []) == "one"
    assert excerpt("", []) == ""


def test_places_beyond_the_cut_are_left_out() -> None:
    text = "effusion " + "a " * 300 + "lung"
    assert excerpt(text, at(text, "effusion", "lung")).count("<mark>") == 1


TEXTS = st.text(st.sampled_from("ab \n<&\u202e"), max_size=80)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(["word", "two words"]), TEXTS, st.integers(1, 60))
def test_what_is_shown_is_the_caption(before: str, word: str, after: str, room: int) -> None:
    text = before + word + after
    made = excerpt(text, [Mention(len(before), len(before) + len(word), word, "C1", word)], room)
    assert f"<mark>{word}</mark>" in made
    plain = re.sub(r"</?mark>", "", made).strip("\u2026")
    assert plain in escaped(visible(text))
    assert len(made) <= 14 + 6 * (room + len(word) + 4)
