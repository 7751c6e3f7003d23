from __future__ import annotations

import pytest
from extractor_samples import make_vocabulary, tiny_vocabulary

from radcap.vocabulary import How, Mention
from radcap.vocabulary.extractors import known as known_module
from radcap.vocabulary.extractors.entities import Entity
from radcap.vocabulary.extractors.known import Known

TEXT = "the heart"


def mention(entity: Entity, known: Known | None = None) -> Mention:
    return (known or Known([tiny_vocabulary()])).mention(TEXT, entity, "Told 1", negated=True)


def test_a_cui_is_named_and_typed_by_the_vocabulary() -> None:
    found = mention(Entity(4, 9, "C0018787", "cor", ("T999", "T001"), 0.5, ("C1281570", "C0018787")))
    assert found == Mention(
        4,
        9,
        "heart",
        "C0018787",
        "Heart",
        ("T023",),
        How.MODEL,
        negated=True,
        others=("C1281570",),
        why="Told 1",
        score=0.5,
    )


def test_a_cui_no_vocabulary_has_is_kept_as_the_tool_names_it() -> None:
    found = mention(Entity(4, 9, "C9999999", "cor", ("T-11", "T047", "9090192")))
    assert (found.cui, found.name, found.types, found.kept) == ("C9999999", "cor", ("T047",), True)


def test_a_snomed_code_becomes_its_cuis() -> None:
    found = mention(Entity(4, 9, "80891009", "Heart structure", ("T-11",)))
    assert (found.cui, found.name, found.others) == ("C0018787", "Heart", ("C1281570",))
    assert found.types == ("T023",)


def test_earlier_vocabularies_come_first() -> None:
    first = make_vocabulary({1281570: ["Whole heart"]}, codes=[(1281570, 0, "80891009")])
    found = mention(Entity(4, 9, "80891009"), Known([first, tiny_vocabulary()]))
    assert (found.cui, found.name, found.others) == ("C1281570", "Whole heart", ("C0018787",))


@pytest.mark.parametrize("known", [Known([]), Known([tiny_vocabulary()])])
def test_a_code_nobody_knows_is_not_kept_and_says_so(known: Known) -> None:
    found = mention(Entity(4, 9, "12345", "odd"), known)
    assert (found.cui, found.name, found.kept) == ("12345", "odd", False)
    assert found.why == "no vocabulary has a CUI for the code 12345"


def test_codes_are_looked_up_once_and_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_module, "_MOST", 2)
    known = Known([tiny_vocabulary()])
    for code in ("1", "80891009", "80891009", "2", "80891009"):
        assert bool(known.cuis(code)) == (code == "80891009")
    assert len(known._codes) == 2
