from __future__ import annotations

import pytest

from radcap.core import UsageError
from radcap.vocabulary.concepts import Concept, cui_number, cui_text, type_number, type_text
from radcap.vocabulary.semantic_types import SemanticType, semantic_type, semantic_types


@pytest.mark.parametrize(("cui", "number"), [("C0000000", 0), ("C0040405", 40405), ("C9999999", 9999999)])
def test_a_cui_and_its_number(cui: str, number: int) -> None:
    assert cui_number(cui) == number
    assert cui_text(number) == cui


NO_CUIS = [
    "",
    "C",
    "C004040",
    "C00404050",
    "c0040405",
    "D0040405",
    " C0040405",
    "C0040405\n",
    "C004040\u0665",
    "C-040405",
]


@pytest.mark.parametrize("text", NO_CUIS)
def test_what_is_no_cui(text: str) -> None:
    assert cui_number(text) is None


@pytest.mark.parametrize(("tui", "number"), [("T001", 1), ("T023", 23), ("T204", 204)])
def test_a_type_and_its_number(tui: str, number: int) -> None:
    assert type_number(tui) == number
    assert type_text(number) == tui


@pytest.mark.parametrize("text", ["", "T", "T01", "T0011", "t001", "T00\u0661", "T001\n"])
def test_what_is_no_type(text: str) -> None:
    assert type_number(text) is None


def test_a_concept_as_json() -> None:
    concept = Concept("C0000001", "Heart", ("heart",), ("T023",), ("test",), ("C0000002",))
    assert concept.to_json() == {
        "cui": "C0000001",
        "name": "Heart",
        "synonyms": ["heart"],
        "types": ["T023"],
        "sources": ["test"],
        "parents": ["C0000002"],
    }


def test_semantic_types_by_their_tui() -> None:
    assert len(semantic_types()) == 127
    assert all(type_number(tui) and one.tui == tui for tui, one in semantic_types().items())
    assert semantic_type("T023") == SemanticType(
        "T023", "bpoc", "Body Part, Organ, or Organ Component", "ANAT", "Anatomy"
    )
    with pytest.raises(UsageError, match="There is no semantic type 'T999'"):
        semantic_type("T999")
