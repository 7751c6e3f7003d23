from __future__ import annotations

import pytest
from vocabulary_samples import draft_of, vocabulary_of

from radcap.vocabulary.linking import choosing
from radcap.vocabulary.linking.choosing import Case, Choice, Choices
from radcap.vocabulary.linking.mentions import How
from radcap.vocabulary.words import normal

CONCEPTS = {
    "C0000001": ["Ultrasound", "US"],
    "C0000002": ["United States", "Us"],
    "C0000003": ["Rib"],
    "C0000004": ["Magnesium", "Mg"],
    "C0000005": ["pH"],
    "C0000006": ["Structure of left ovary"],
    "C0000007": ["left ovary", "Left Ovary"],
    "C0000008": ["Histidine", "His"],
    "C0000009": ["AIDS"],
    "C0000010": ["nail varnish", "polish"],
    "C0000011": ["Polish"],
    "C0000012": ["leg", "LEG"],
    "C0000013": ["aS"],
    "C0000014": ["IT"],
    "C0000015": ["man"],
    "C0000016": ["Left ovary"],
}


@pytest.fixture(scope="module")
def choices() -> Choices:
    return Choices(vocabulary_of(draft_of(CONCEPTS, types=[("C0000003", 23), ("C0000003", 22)])))


def choose(choices: Choices, text: str, case: Case = Case.FITS) -> Choice | None:
    vocabulary = choices._vocabulary
    words = [vocabulary.words.number(normal(word)) for word in text.split()]
    node = words[0]
    for word in words[1:]:
        key = node << 32 | word
        node = len(vocabulary.words) + vocabulary.trie.edges.tolist().index(key)
    return choices.of(node, text, case)


@pytest.mark.parametrize(
    ("text", "cui"),
    [
        ("US", "C0000001"),
        ("US's", "C0000001"),
        ("U\u00adS", "C0000001"),
        ("us", None),
        ("Us", "C0000002"),
        ("uS", None),
        ("Rib", "C0000003"),
        ("rib", "C0000003"),
        ("ribs", "C0000003"),
        ("Ribs", "C0000003"),
        ("rib's", "C0000003"),
        ("RIB", None),
        ("RIBs", None),
        ("Mg", "C0000004"),
        ("mg", None),
        ("MG", None),
        ("pH", "C0000005"),
        ("ph", None),
        ("PH", None),
        ("his", None),
        ("His", None),  # a sentence may begin with it
        ("HIS", None),
        ("AIDS", "C0000009"),
        ("aids", None),
        ("Aids", None),
        ("leg", "C0000012"),
        ("LEG", "C0000012"),
        ("Legs", "C0000012"),
        ("as", None),
        ("aS", None),
        ("IT", "C0000014"),
        ("it", None),
        ("men", "C0000015"),
    ],
)
def test_short_names_and_abbreviations_need_their_case(choices: Choices, text: str, cui: str | None) -> None:
    choice = choose(choices, text)
    assert (choice.cui if choice else None) == cui


@pytest.mark.parametrize(
    ("text", "cui"),
    [
        ("US", "C0000001"),
        ("RIB", "C0000003"),
        ("AIDS", "C0000009"),
        ("MG", "C0000004"),
        ("IT", None),
        ("HIS", None),
    ],
)
def test_in_capitals_all_but_common_words_fit(choices: Choices, text: str, cui: str | None) -> None:
    choice = choose(choices, text, Case.TELLS_NOTHING)
    assert (choice.cui if choice else None) == cui


@pytest.mark.parametrize("text", ["us", "mg", "his", "it"])
def test_what_it_could_have_been_in_any_case(choices: Choices, text: str) -> None:
    assert choose(choices, text) is None
    assert choose(choices, text, Case.ANY) is not None


def test_all_that_is_said_of_a_choice(choices: Choices) -> None:
    assert choose(choices, "ribs") == Choice("C0000003", "Rib", ("T022", "T023"), How.NAME, ())


def test_the_order_of_several(choices: Choices) -> None:
    """As written before variants, abbreviations before other names, the rank, the lower CUI; none twice."""
    chosen = Choice("C0000007", "left ovary", (), How.NAME, ("C0000016", "C0000006"))
    assert [choose(choices, text) for text in ("left ovary", "Left ovary", "LEFT OVARY")] == [chosen] * 3
    polish = choose(choices, "Polish")
    assert polish
    assert (polish.cui, polish.others) == ("C0000011", ("C0000010",)), (
        "the best name of one, a synonym of the other"
    )


def test_an_abbreviation_in_its_case_goes_before_names_in_any() -> None:
    choices = Choices(vocabulary_of({"C0000001": ["Aids"], "C0000002": ["Immune deficiency", "AIDS"]}))
    in_capitals, small = choose(choices, "AIDS"), choose(choices, "aids")
    assert in_capitals
    assert small
    assert (in_capitals.cui, in_capitals.others) == ("C0000002", ("C0000001",))
    assert (small.cui, small.others) == ("C0000001", ())


def test_a_name_as_written_goes_before_a_variant_that_needs_its_case() -> None:
    choices = Choices(vocabulary_of({"C0000001": ["AIDS structure"], "C0000002": ["Aids"]}))
    choice = choose(choices, "AIDS")
    assert choice
    assert (choice.cui, choice.how, choice.others) == ("C0000002", How.NAME, ("C0000001",))


def test_a_variant_alone(choices: Choices) -> None:
    alone = Choices(vocabulary_of({"C0000006": ["Structure of left ovary"]}))
    choice = choose(alone, "left ovary")
    assert choice
    assert choice.how is How.VARIANT
    assert choice.name == "Structure of left ovary"


def test_choices_are_kept_but_not_all(monkeypatch: pytest.MonkeyPatch) -> None:
    choices = Choices(vocabulary_of({"C0000001": ["heart"]}))
    monkeypatch.setattr(choosing, "_MOST", 2)
    first = choices.of(0, "heart")
    assert choices.of(0, "heart") is first
    for text in ("Heart", "HEART"):
        assert choices.of(0, text) == first
    assert len(choices._made) == 1
    assert choices.of(0, "heart" + "\u200b" * 1000) == first
    assert len(choices._made) == 1
