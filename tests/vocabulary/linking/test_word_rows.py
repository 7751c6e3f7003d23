from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.linking import word_rows
from radcap.vocabulary.linking.word_rows import WordRow, read_words

TEXTS = st.lists(
    st.text("aB 1.-\n,;\0'\u00ad") | st.text(st.characters(codec=None), max_size=20), min_size=1, max_size=4
)


def shown(text: str) -> str:
    """The words of a text; + joins one to the one before, | begins a sentence."""
    row = read_words([text])
    said = row.words[:1]
    for i in range(1, len(row.words)):
        said.append("+" if row.joined[i] else ",")
        if row.sentence[i] != row.sentence[i - 1]:
            said.append("|")
        said.append(row.words[i])
    return " ".join(said)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("", ""),
        ("heart", "heart"),
        ("left heart", "left + heart"),
        ("left, heart", "left , heart"),
        ("X-ray of the chest", "X + ray + of + chest"),
        ("ray of, the chest", "ray + of , chest"),
        ("ray of the, chest", "ray + of , chest"),
        ("ray of the, the chest", "ray + of , chest"),
        ("the heart", "heart"),
        ("The heart, a lung", "heart , lung"),
        ("vitamin A", "vitamin + A"),
        ("One. Two", "One , | Two"),
        ("One.Two", "One , | Two"),
        ("One; two! Three? Four", "One , | two , | Three , | Four"),
        ("one: two", "one , two"),
        ("C. difficile", "C + difficile"),
        ("C.difficile", "C + difficile"),
        ("C.. difficile", "C , | difficile"),
        ("group B. Next", "group + B + Next"),
        ("22q11.2 deletion", "22q11 + 2 + deletion"),
        ("1.5 T", "1 + 5 + T"),
        ("1. 5", "1 + 5"),  # behind a single sign, as behind an initial
        ("11. 5", "11 , | 5"),
        ("v2.x", "v2 , | x"),
        (".5 mm", "5 + mm"),
        ("one\ntwo", "one + two"),
        ("one\n\ntwo", "one , | two"),
        ("one\r\n \r\ntwo", "one , | two"),
        ("one...two", "one , | two"),
        ("e.g.) two", "e + g , two"),
        ("one\0two", "one , | two"),
        ("(one) two", "one , two"),
        ("a. the one", "one"),
    ],
)
def test_words_joints_and_sentences(text: str, row: str) -> None:
    assert shown(text) == row


def parts(row: WordRow, number: int) -> list[tuple[str, int, int, bool, int]]:
    """What a row says of one text, in places of that text."""
    first, last = int(row.texts[number]), int(row.texts[number + 1])
    inside = [i for i, start in enumerate(row.start.tolist()) if first <= start < last]
    begin = int(row.sentence[inside[0]]) if inside else 0
    return [
        (
            row.words[i],
            int(row.start[i]) - first,
            int(row.end[i]) - first,
            bool(row.joined[i]) if i != inside[0] else False,
            int(row.sentence[i]) - begin,
        )
        for i in inside
    ]


@given(TEXTS)
def test_a_text_reads_the_same_alone_and_among_others(texts: list[str]) -> None:
    row = read_words(texts)
    assert len(row.words) == len(row.start) == len(row.end) == len(row.joined) == len(row.sentence)
    assert len(row.texts) == len(texts) + 1
    for number, text in enumerate(texts):
        alone = read_words([text])
        assert parts(row, number) == parts(alone, 0)
        assert row.shouted[number] == alone.shouted[0] == text.isupper()
        for word, start, end, _, _ in parts(alone, 0):
            assert text[start:end] == word
    firsts = [i for i in range(len(row.words)) if i == 0 or row.sentence[i] != row.sentence[i - 1]]
    assert sorted(row.sentence.tolist()) == row.sentence.tolist()
    assert not any(row.joined[i] for i in firsts[1:]), "no name reaches over the end of a sentence"


def test_no_texts() -> None:
    row = read_words([])
    assert (row.words, row.shouted, row.texts.tolist()) == ([], [], [0])


def test_gaps_are_kept_but_not_all(monkeypatch: pytest.MonkeyPatch) -> None:
    gaps = word_rows._Gaps()
    monkeypatch.setattr(word_rows, "_MOST_GAPS", 2)
    assert gaps[" "] == gaps["\t"] == gaps["\n"] == 1
    assert list(gaps) == ["\n"], "the others were let go"
    assert gaps[" " * 1000] == 1
    assert list(gaps) == ["\n"], "and long ones are not kept"
