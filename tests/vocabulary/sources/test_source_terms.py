"""Checks, drafts and terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocabulary.sources.source_readings import codes, names, parents, types

from radcap.vocabulary.drafts import CODES, NAMES, PARENTS, RETIRED, TYPES
from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import drafting
from radcap.vocabulary.sources.checking import Checks
from radcap.vocabulary.sources.drafting import Drafting
from radcap.vocabulary.sources.terms import Term, draft_of_terms
from radcap.vocabulary.sources.type_names import known_types, type_of_name
from radcap.vocabulary.stamps import Source

SOURCE = Source("HPO")


@pytest.mark.parametrize(
    ("text", "number", "code"),
    [
        ("C0000012", 12, []),
        ("c0000012", None, ["VOC204"]),
        ("C12", None, ["VOC203"]),
        ("", None, ["VOC203"]),
        ("C000001٢", None, ["VOC203"]),
        ("C0000012\n", None, ["VOC203"]),
    ],
)
def test_cuis(text, number, code) -> None:
    findings = Findings()
    assert Checks("x", findings).cui(text, 3) == number
    assert codes(findings) == [(one, 3) for one in code]


@pytest.mark.parametrize(
    ("text", "number", "code"), [("T023", 23, []), ("T999", 999, ["VOC209"]), ("23", None, ["VOC208"])]
)
def test_types(text, number, code) -> None:
    findings = Findings()
    assert Checks("x", findings).type(text, "C0000001", 3) == number
    assert codes(findings) == [(one, 3) for one in code]


def test_types_by_name_are_told_once() -> None:
    findings = Findings()
    checks = Checks("x", findings)
    assert checks.named_type(" body part,  Organ, or Organ Component", 1) == 23
    assert checks.named_type("Thing", 2) is None
    assert checks.named_type("Thing", 3) is None
    assert codes(findings) == [("VOC215", 2)]
    assert len(known_types()) == 127
    assert type_of_name("Disease or Syndrome") == 47


def test_names_are_looked_at() -> None:
    findings = Findings()
    checks = Checks("x", findings)
    assert checks.names([" Lung ", "", "L", "lost \ufffd", "two\n lines", "Lung"], 7, 5) == [
        *("Lung", "L", "lost \ufffd", "two lines", "Lung"),
    ]
    assert checks.names(["Lung"], 8, 6) == ["Lung"]
    assert [code for code, _ in codes(findings)] == ["VOC205", "VOC206", "VOC212", "VOC207"]
    assert "C0000007 has the name 'Lung' again" in str(findings.findings[-1])


def test_a_draft_keeps_its_schemas_in_any_size(monkeypatch) -> None:
    monkeypatch.setattr(drafting, "_BATCH", 2)
    growing = Drafting(SOURCE)
    for number in range(5):
        growing.add_name(number, f"name {number}", number)
    growing.add_type(1, 23)
    growing.add_type(1, 23)
    growing.add_parent(1, 2)
    growing.add_code(1, "HP:1")
    draft = growing.finish()
    assert draft.names.schema.equals(NAMES)
    assert draft.types.schema.equals(TYPES)
    assert draft.parents.schema.equals(PARENTS)
    assert draft.codes.schema.equals(CODES)
    assert draft.retired.schema.equals(RETIRED)
    assert draft.names.column("name").to_pylist() == [f"name {number}" for number in range(5)]
    assert (len(draft.types), len(draft.parents), len(draft.codes)) == (1, 1, 1)
    assert len(Drafting(SOURCE).finish().names) == 0


def test_terms_become_names_types_parents_and_codes() -> None:
    terms = [
        Term("HP:1", ("All",), (1,)),
        Term("HP:2", ("Lung", "Pulmo"), (2,), (23,), ("HP:1", "HP:9"), 7),
        Term("HP:3", ("Both",), (2, 3), parents=("HP:2",)),
        Term("", ("Loose",), (4,)),
        Term("HP:5", ("Nowhere",)),
    ]
    findings = Findings()
    draft = draft_of_terms(SOURCE, terms, "hp.obo", findings)
    assert names(draft) == {
        "C0000001": ["All"],
        "C0000002": ["Lung", "Both", "Pulmo"],
        "C0000003": ["Both"],
        "C0000004": ["Loose"],
    }
    assert types(draft) == {("C0000002", "T023")}
    assert parents(draft) == {("C0000002", "C0000001"), ("C0000003", "C0000002")}
    assert [(row["cui"], row["code"]) for row in draft.codes.to_pylist()] == [
        *((1, "HP:1"), (2, "HP:2"), (2, "HP:3"), (3, "HP:3")),
    ]
    assert draft.sources == (SOURCE,)


def test_parents_are_found_over_terms_without_concept() -> None:
    terms = [
        Term("top", ("Top",), (1,)),
        Term("left", ("Left",), parents=("top",)),
        Term("right", ("Right",), parents=("left", "circle")),
        Term("circle", ("Circle",), parents=("right", "circle")),
        Term("leaf", ("Leaf",), (2,), parents=("right", "left")),
    ]
    assert parents(draft_of_terms(SOURCE, terms, "x", Findings())) == {("C0000002", "C0000001")}


def test_a_long_way_up_is_given_up() -> None:
    chain = [Term(f"t{i}", ("x",), parents=(f"t{i + 1}",)) for i in range(5000)]
    terms = [Term("leaf", ("Leaf",), (1,), parents=("t0",)), *chain, Term("t5000", ("Top",), (2,))]
    assert parents(draft_of_terms(SOURCE, terms, "x", Findings())) == set()


@given(
    st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 9), max_size=3)), min_size=1, max_size=10),
)
def test_parents_are_those_of_a_plain_search(told) -> None:
    terms = [
        Term(f"t{i}", ("x y",), (i + 1,) if has else (), parents=tuple(f"t{up}" for up in above))
        for i, (has, above) in enumerate(told)
    ]

    def nearest(i: int, seen: frozenset[int]) -> set[int]:
        found: set[int] = set()
        for up in told[i][1]:
            if up < len(told) and up not in seen:
                found |= {up} if told[up][0] else nearest(up, seen | {up})
        return found

    wanted = {
        (f"C{i + 1:07d}", f"C{up + 1:07d}")
        for i, (has, _) in enumerate(told)
        if has
        for up in nearest(i, frozenset({i}))
    }
    assert parents(draft_of_terms(SOURCE, terms, "x", Findings())) == wanted
