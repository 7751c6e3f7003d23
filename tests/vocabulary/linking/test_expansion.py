from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from vocabulary_samples import vocabulary_of

from radcap.vocabulary.linking import expansion
from radcap.vocabulary.linking.expansion import expand
from radcap.vocabulary.linking.linker import Linker
from radcap.vocabulary.linking.mentions import How, Mention

if TYPE_CHECKING:
    from collections.abc import Iterable

SMA = "superior mesenteric artery"
CONCEPTS = {
    "C0000001": ["Superior mesenteric artery structure", SMA],
    "C0000002": ["Spinal muscular atrophy", "SMA"],
    "C0000003": ["Heart"],
    "C0000004": ["SMA syndrome"],
    "C0000005": ["Smooth muscle actin staining", "actin"],
}


@pytest.fixture(scope="module")
def linker() -> Linker:
    return Linker([vocabulary_of(CONCEPTS)])


def said(mentions: Iterable[Mention]) -> list[tuple[str, str, str]]:
    return [(one.text, one.cui, one.how.value) for one in mentions]


def test_each_occurrence_of_the_short_form_is_what_the_long_form_names(linker: Linker) -> None:
    text = f"SMA. The {SMA} (SMA) is open. No SMA is seen, a possible SMA"
    found = linker.link(text)
    assert said(found) == [
        ("SMA", "C0000001", "abbreviation"),
        (SMA, "C0000001", "name"),
        ("SMA", "C0000001", "abbreviation"),
        ("SMA", "C0000001", "abbreviation"),
        ("SMA", "C0000001", "abbreviation"),
    ]
    assert [one.negated for one in found] == [False, False, False, True, False]
    assert found[-1].uncertain
    assert found[0].why == f"the text says it is '{SMA}'"
    assert all(text[one.start : one.end] == one.text for one in found)


def test_without_a_definition_the_vocabulary_speaks(linker: Linker) -> None:
    assert said(linker.link("The SMA is open")) == [("SMA", "C0000002", "name")]


def test_a_longer_name_with_the_short_form_stays(linker: Linker) -> None:
    found = linker.link(f"{SMA} (SMA), SMA syndrome, SMA")
    assert said(found) == [
        (SMA, "C0000001", "name"),
        ("SMA", "C0000001", "abbreviation"),
        ("SMA syndrome", "C0000004", "name"),
        ("SMA", "C0000001", "abbreviation"),
    ]


def test_a_long_form_without_a_concept_takes_the_other_reading_away(linker: Linker) -> None:
    text = "surface mapping array (SMA) of the heart. SMA"
    assert said(linker.link(text)) == [("heart", "C0000003", "name")]
    dropped = [one for one in linker.link(text, trace=True) if not one.kept]
    assert {(one.text, one.why) for one in dropped} == {("SMA", "the text says it stands for something else")}


def test_a_long_form_that_shares_its_words_leaves_the_reading(linker: Linker) -> None:
    text = "spinal muscular ataxia (SMA)"
    assert said(linker.link(text)) == [("SMA", "C0000002", "name")]


def test_legends_count_without_parentheses() -> None:
    linker = Linker([vocabulary_of({"C0000001": ["left atrium"], "C0000002": ["Los Angeles", "LA"]})])
    found = linker.link("Echo of the LA. LA, left atrium.")
    assert said(found)[-1] == ("left atrium", "C0000001", "name")
    assert {one.cui for one in found} == {"C0000001"}


def test_an_article_may_be_a_short_form() -> None:
    mention = Mention(0, 10, "acute node", "C0000001", "x")
    places: list[int] = []

    def marks(place: int) -> tuple[bool, bool]:
        places.append(place)
        return True, False

    found = expand("acute node (AN) and AN", [mention], lambda cui: (), marks)
    assert [(one.start, one.how, one.negated) for one in found] == [
        (0, How.NAME, False),
        (12, How.ABBREVIATION, True),
        (20, How.ABBREVIATION, True),
    ]
    assert places == [12, 20]


def test_a_mention_right_before_the_short_form_does_not_cover_it() -> None:
    text = "x(AN) acute node (AN)"
    mentions = [Mention(0, 2, "x(", "C0000002", "y"), Mention(6, 16, "acute node", "C0000001", "x")]
    found = expand(text, mentions, lambda cui: (), lambda place: (False, False))
    assert [one.text for one in found] == ["x(", "AN", "acute node", "AN"]


def test_only_so_many_definitions_are_looked_for(monkeypatch: pytest.MonkeyPatch, linker: Linker) -> None:
    text = f"{SMA} (SMA). SMA"
    monkeypatch.setattr(expansion, "_MOST", 0)
    assert said(linker.link(text))[-1] == ("SMA", "C0000002", "name")


def test_names_are_read_once_for_each_concept(linker: Linker) -> None:
    asked: list[str] = []

    def names(cui: str) -> tuple[str, ...]:
        asked.append(cui)
        return ()

    text = "surface mapping array (SMA) " + "SMA " * 50
    mentions = [Mention(place, place + 3, "SMA", "C0000002", "SMA") for place in range(28, len(text) - 3, 4)]
    found = expand(text, mentions, names, lambda place: (False, False))
    assert asked == ["C0000002"]
    assert not any(one.kept for one in found)


def test_a_dropped_reading_does_not_hide_the_long_form_behind_it(linker: Linker) -> None:
    text = f"surface mapping array (SMA), superior mesenteric artery syndrome. {SMA} (SM), SMA"
    assert ("SM", "C0000001", "abbreviation") in said(linker.link(text))
    inside = Mention(0, 20, "a long name of these", "C0000001", "x")
    gone = Mention(2, 6, "long", "C0000002", "y", kept=False)
    found = expand(
        "a long name of these (LNT), LNT", [inside, gone], lambda cui: (), lambda place: (False, False)
    )
    assert [one.text for one in found] == ["a long name of these", "long", "LNT", "LNT"]


def test_the_definition_that_names_a_concept_counts(linker: Linker) -> None:
    text = f"surface mapping array (SMA); {SMA} (SMA). SMA"
    assert said(linker.link(text)) == [
        ("SMA", "C0000001", "abbreviation"),
        (SMA, "C0000001", "name"),
        ("SMA", "C0000001", "abbreviation"),
        ("SMA", "C0000001", "abbreviation"),
    ]


def test_a_single_word_explains_only_what_no_vocabulary_knows() -> None:
    concepts = {
        "C0000001": ["Chest"],
        "C0000002": ["Computed tomography", "CT"],
        "C0000003": ["Pneumothorax"],
    }
    linker = Linker([vocabulary_of(concepts)])

    assert said(linker.link("Computed tomography of the chest (CT)"))[-1] == ("CT", "C0000002", "name")
    found = linker.link("A pneumothorax (PTX); the PTX grows")
    assert said(found)[1:] == [("PTX", "C0000003", "abbreviation")] * 2
