from __future__ import annotations

import pytest

from radcap.vocabulary.extractors.entities import Entity
from radcap.vocabulary.extractors.marks import marks


def entity(text: str, words: str) -> Entity:
    start = text.index(words)
    return Entity(start, start + len(words))


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("CT shows pleural effusion", "pleural effusion", (False, False)),
        ("CT shows no pleural effusion", "pleural effusion", (True, False)),
        ("CT shows no pleural effusion", "CT", (False, False)),
        ("Possible pleural effusion", "pleural effusion", (False, True)),
        ("the effusion.", ".", (False, False)),
        ("§§", "§§", (False, False)),
    ],
)
def test_marks_are_those_of_our_own_rules(text: str, words: str, expected: tuple[bool, bool]) -> None:
    assert marks([text], [[entity(text, words)]]) == [[expected]]


def test_each_text_is_read_by_itself() -> None:
    texts = ["no", "effusion", "", "no effusion, heart"]
    found = [[], [entity(texts[1], "effusion")], [], [entity(texts[3], one) for one in ("effusion", "heart")]]
    assert marks(texts, found)[:3] == [[], [(False, False)], []]
    assert marks(texts, found)[3][0] == (True, False)
    assert marks([], []) == []
