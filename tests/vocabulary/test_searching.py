from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocabulary_samples import vocabulary_of

from radcap.vocabulary import searching
from radcap.vocabulary.searching import can_correct, search

VOCABULARY = vocabulary_of(
    {
        "C0000001": ["Pleural effusion", "Fluid around the lungs"],
        "C0000002": ["Effusion"],
        "C0000003": ["Malignant pleural effusion of lung"],
        "C0000004": ["Chest X-ray", "Thorax"],
        "C0000005": ["Pleural plaque"],
        "C0000006": ["7", "number seven"],
    }
)


def found(query: str, limit: int = 10) -> list[str]:
    return [one.concept.cui[-1] for one in search(VOCABULARY, query, limit)]


@pytest.mark.parametrize(
    ("query", "cuis"),
    [
        ("pleural effusion", ["1", "3", "2", "5"]),
        ("effusions pleural", ["1", "3", "2", "5"]),
        ("effusion", ["2", "1", "3"]),
        ("the lung", ["1", "3"]),
        ("lung lung", ["1", "3"]),
        ("C0000004", ["4"]),
        ("  C0000004\n", ["4"]),
        ("C0000009", []),
        ("xray", ["4"]),
        ("x-ray", ["4"]),
        ("", []),
        ("the", []),
        ("!?", []),
        ("zzzzzz", []),
    ],
)
def test_the_best_come_first(query: str, cuis: list[str]) -> None:
    assert found(query) == cuis


def test_a_hit_says_by_which_name() -> None:
    (hit,) = search(VOCABULARY, "fluid")
    assert hit.found == "Fluid around the lungs"
    assert hit.to_json()["found"] == "Fluid around the lungs"
    assert hit.to_json()["name"] == "Pleural effusion"


@pytest.mark.parametrize(("limit", "cuis"), [(2, ["1", "3"]), (1, ["1"]), (0, []), (-1, [])])
def test_no_more_than_asked_for(limit: int, cuis: list[str]) -> None:
    assert found("pleural effusion", limit) == cuis


def test_misspelt_words_are_understood_where_rapidfuzz_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidfuzz")
    assert can_correct()
    assert found("plural efusion")[0] == "1"
    monkeypatch.setattr(searching, "find_spec", lambda name: None)
    assert not can_correct()
    assert found("plural efusion") == []


def test_shorter_names_are_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_LOOKED_AT", 1)
    assert found("effusion") == ["2"]
    assert found("pleural effusion") == ["1"]


@given(st.text(st.characters(codec=None)), st.integers(0, 3))
def test_any_question_has_an_answer(query: str, limit: int) -> None:
    assert len(search(VOCABULARY, query, limit)) <= limit
