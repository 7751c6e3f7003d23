"""Terms without CUI, placed by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocabulary.sources.source_readings import codes

from radcap.vocabulary.drafts import make_draft
from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources.joining import place_terms
from radcap.vocabulary.sources.terms import Term
from radcap.vocabulary.stamps import Source

BASE = make_draft(
    [Source("MTH")],
    [
        (1, "Lung", 0, 0),
        (2, "Pleural Effusion", 0, 0),
        (3, "Cold", 0, 0),
        (4, "Cold", 0, 0),
        (5, "CT", 0, 0),
        (5, "Computed Tomography", 0, 0),
    ],
)

PLACES = {
    "by the name": (("lungs",), (1,)),
    "by a synonym": (("Pulmo", "the lung"), (1,)),
    "by spelling and number": (("pleural effusions",), (2,)),
    "by both of one concept": (("CT", "computed tomography"), (5,)),
    "not by two concepts": (("Lung", "Pleural effusion"), ()),
    "not by a name of two": (("Cold",), ()),
    "not by an abbreviation": (("CT",), ()),
    "not by nothing": (("Spleen", "", "-"), ()),
}


@pytest.mark.parametrize(("names", "cuis"), PLACES.values(), ids=PLACES.keys())
def test_a_term_is_placed_where_one_concept_has_its_names(names, cuis) -> None:
    (term,) = place_terms([Term("RID1", names)], [BASE], "x", Findings())
    assert term.cuis == cuis


def test_what_was_placed_is_counted() -> None:
    findings = Findings()
    terms = [Term("a", names) for names, _ in PLACES.values()]
    place_terms([*terms, Term("b", ("Lung",), (9,))], [BASE], "radlex.csv", findings)
    assert codes(findings) == [("VOC301", 0)]
    assert findings.findings[0].issue.message == (
        "8 terms of radlex.csv have no CUI. By name 4 stand on a concept of the files before, 2 on more than"
        " one and were left out, 2 on none and were left out."
    )


def test_terms_with_a_cui_stay_where_they_are() -> None:
    findings = Findings()
    terms = (Term("a", ("Lung",), (9,)),)
    assert place_terms(terms, [BASE], "x", findings) == terms
    assert codes(findings) == []


@pytest.mark.parametrize("base", [[], [make_draft([], [])]])
def test_without_files_before_nothing_can_be_placed(base) -> None:
    findings = Findings()
    terms = (Term("a", ("Lung",)),)
    assert place_terms(terms, base, "x", findings) == terms
    assert codes(findings) == [("VOC302", 0)]


_NAMES = st.sampled_from(["lung", "liver", "spleen", "heart", "kidney", "node"])


@given(
    st.lists(st.tuples(st.integers(1, 4), _NAMES), min_size=1, max_size=8),
    st.lists(st.lists(_NAMES, min_size=1, max_size=3), max_size=5),
)
def test_places_are_those_of_a_plain_search(known, groups) -> None:
    base = make_draft([Source("x")], [(cui, name, 0, 0) for cui, name in known])
    placed = place_terms([Term("", tuple(group)) for group in groups], [base], "x", Findings())
    for group, term in zip(groups, placed, strict=True):
        owners = {cui for cui, name in known if name in group}
        assert term.cuis == (tuple(owners) if len(owners) == 1 else ())
