"""Rules on mentions, one by one and against a plain account of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.linking.mentions import Mention
from radcap.vocabulary.rules import Blacklisted, ConceptRules, Fate, Remap, apply_rules, read_rules

PLAIN = ConceptRules("mine", 1, "us")
TYPED = replace(PLAIN, named_types=frozenset({"T023"}), inferred_types=frozenset({"T190"}))


def mention(
    cui: str = "C0000001", *types: str, text: str = "lung", negated: bool = False, uncertain: bool = False
) -> Mention:
    return Mention(0, len(text), text, cui, text, types, negated=negated, uncertain=uncertain)


def fate(one: Mention, rules: ConceptRules) -> tuple[bool, str, str]:
    (found,) = apply_rules([one], rules)
    return found.kept, found.cui, found.why


@pytest.mark.parametrize(
    ("one", "rules", "kept", "why"),
    [
        (mention("C0000001", "T054"), PLAIN, True, "longest match"),
        (mention("C0000001", "T023"), TYPED, True, "longest match"),
        (mention("C0000001", "T190"), TYPED, True, "longest match"),
        (mention("C0000001", "T054", "T190"), TYPED, True, "longest match"),
        (mention("C0000001", "T054"), TYPED, False, "semantic type T054 is not kept"),
        (mention("C0000001", "T054", "T055"), TYPED, False, "semantic types T054, T055 are not kept"),
        (mention(), TYPED, True, "longest match"),
        (mention(), replace(TYPED, unknown_types=Fate.DROP), False, "its semantic type is not known"),
        (mention(), replace(PLAIN, unknown_types=Fate.DROP), True, "longest match"),
        (mention(negated=True), PLAIN, True, "longest match"),
        (mention(negated=True), replace(PLAIN, negated=Fate.DROP), False, "negated"),
        (mention(), replace(PLAIN, negated=Fate.DROP), True, "longest match"),
        (mention(uncertain=True), PLAIN, True, "longest match"),
        (mention(uncertain=True), replace(PLAIN, uncertain=Fate.DROP), False, "uncertain"),
        (mention(), replace(PLAIN, uncertain=Fate.DROP), True, "longest match"),
        (
            mention("C0439234", "T023"),
            replace(TYPED, blacklist=(Blacklisted("C0439234", "Year", "time"),)),
            False,
            "blacklist: time",
        ),
        (
            replace(mention("C0439234"), kept=False, why="covered"),
            replace(TYPED, blacklist=(Blacklisted("C0439234", "Year", "time"),)),
            False,
            "covered",
        ),
    ],
)
def test_one_mention(one: Mention, rules: ConceptRules, kept: bool, why: str):
    assert fate(one, rules) == (kept, one.cui, why)


ONWARD = Remap("C0000001", "wrong", "patchy", "C0000002", "Two", ("T190",))


@pytest.mark.parametrize(
    ("text", "rules", "expected"),
    [
        ("patchy", replace(TYPED, remaps=(ONWARD,)), (True, "C0000002", "remapped from C0000001")),
        ("Patchy opacity", replace(TYPED, remaps=(ONWARD,)), (True, "C0000002", "remapped from C0000001")),
        ("patch", replace(TYPED, remaps=(ONWARD,)), (True, "C0000001", "longest match")),
        (
            "patch",
            replace(TYPED, remaps=(ONWARD, replace(ONWARD, word=""))),
            (True, "C0000002", "remapped from C0000001"),
        ),
        (
            "patchy",
            replace(TYPED, remaps=(replace(ONWARD, to=None),)),
            (False, "C0000001", "wrong link: wrong"),
        ),
        (
            "patchy",
            replace(TYPED, remaps=(replace(ONWARD, types=("T054",)),)),
            (False, "C0000002", "semantic type T054 is not kept"),
        ),
        (
            "patchy",
            replace(TYPED, remaps=(ONWARD,), blacklist=(Blacklisted("C0000002", "Two", "quality"),)),
            (False, "C0000002", "blacklist: quality"),
        ),
        (
            "patchy",
            replace(TYPED, remaps=(replace(ONWARD, cui="C0000009"),)),
            (True, "C0000001", "longest match"),
        ),
    ],
)
def test_remaps(text: str, rules: ConceptRules, expected: tuple[bool, str, str]):
    assert fate(mention("C0000001", "T023", text=text), rules) == expected


def test_a_remapped_mention_has_the_other_name():
    (found,) = apply_rules([mention(text="patchy")], replace(PLAIN, remaps=(ONWARD,)))
    assert (found.cui, found.name, found.types, found.text) == ("C0000002", "Two", ("T190",), "patchy")


def test_the_example_of_the_paper():
    patchy = mention("C0994894", "T122", text="patchy")
    kept, cui, why = fate(patchy, read_rules("rocov2-2023"))
    assert (kept, cui) == (False, "C0994894")
    assert why.startswith("wrong link: Patch Dosage Form")


MENTIONS = st.lists(
    st.builds(
        Mention,
        st.just(0),
        st.just(4),
        st.sampled_from(["lung", "patchy"]),
        st.sampled_from([f"C000000{number}" for number in range(5)]),
        st.just("name"),
        st.lists(st.sampled_from(["T023", "T054", "T190"]), max_size=2, unique=True).map(tuple),
        negated=st.booleans(),
        uncertain=st.booleans(),
        kept=st.booleans(),
    ),
    max_size=8,
)
RULES = st.builds(
    ConceptRules,
    st.just("mine"),
    st.just(1),
    st.just("us"),
    st.frozensets(st.sampled_from(["T023", "T054"])),
    st.frozensets(st.just("T190")),
    st.sampled_from(Fate),
    st.sampled_from(Fate),
    st.sampled_from(Fate),
    st.lists(st.sampled_from(["C0000001", "C0000003"]), max_size=2, unique=True).map(
        lambda cuis: tuple(Blacklisted(one, "", "time") for one in cuis)
    ),
    st.sampled_from([(), (ONWARD,), (replace(ONWARD, to=None),), (replace(ONWARD, word=""),)]),
)


def plainly_kept(one: Mention, rules: ConceptRules) -> str | None:
    """The CUI that is kept of a mention, written down without care for speed or reasons."""
    cui, types = one.cui, set(one.types)
    for remap in rules.remaps:
        if remap.cui == cui and remap.word in {"", one.text}:
            if remap.to is None:
                return None
            cui, types = remap.to, set(remap.types)
            break
    fits = not rules.types or bool(types & rules.types) or (not types and rules.unknown_types is Fate.KEEP)
    drops = [
        not one.kept,
        one.negated and rules.negated is Fate.DROP,
        one.uncertain and rules.uncertain is Fate.DROP,
        cui in {listed.cui for listed in rules.blacklist},
        not fits,
    ]
    return None if any(drops) else cui


@given(MENTIONS, RULES)
def test_against_a_plain_account(mentions: list[Mention], rules: ConceptRules):
    found = apply_rules(mentions, rules)
    assert [one.cui if one.kept else None for one in found] == [plainly_kept(one, rules) for one in mentions]
    assert [(one.start, one.end, one.text) for one in found] == [
        (one.start, one.end, one.text) for one in mentions
    ]
    assert all(one.why for one in found)


@given(MENTIONS, RULES)
def test_rules_applied_twice_change_nothing_more(mentions: list[Mention], rules: ConceptRules):
    once = apply_rules(mentions, rules)
    assert apply_rules(once, rules) == once
