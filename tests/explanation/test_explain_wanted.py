"""What a person asks for, the words of captions, and the values that come of it."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from explain_model_samples import CAPTION, CHEST, EFFUSION, NAMES, PNEUMONIA, XRAY, tokenizer
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.tokens import train_bpe
from radcap.core import UsageError
from radcap.explanation.subjects.phrases import (
    Phrase,
    concepts_in,
    token_ends,
    token_range,
    words_in,
)
from radcap.explanation.subjects.wanted import GROUPS, Wanted, concept_named, unknown_target, wanted_from
from radcap.explanation.targets import Concept, Contrast, Neighbour, Span
from radcap.explanation.values import Box, Case, Evidence, Explanation, Kind, Origin

ALL = frozenset({"all"})
ASKED = {
    "nothing": ([], Wanted(ALL)),
    "blanks": (["", " , "], Wanted(ALL)),
    "groups": (["concepts", "words,spans"], Wanted(frozenset({"concepts", "words", "spans"}))),
    "a concept": (["C0032285"], Wanted(frozenset(), ("C0032285",))),
    "several in one text": (["C0032285, pneumonia ,all"], Wanted(ALL, ("C0032285", "pneumonia"))),
    "a contrast": (["C1:C2"], Wanted(frozenset(), (), (("C1", "C2"),))),
    "words against words": (["mass : cyst", "spans"], Wanted(frozenset({"spans"}), (), (("mass", "cyst"),))),
}


@pytest.mark.parametrize(("texts", "wanted"), ASKED.values(), ids=ASKED)
def test_what_is_asked_for(texts, wanted):
    assert wanted_from(texts) == wanted


@pytest.mark.parametrize("text", ["a:", ":b", "a:b:c", " : "])
def test_half_a_contrast_is_refused(text):
    with pytest.raises(UsageError, match=r"is no contrast\. Write THIS:OTHER"):
        wanted_from(["words", text])


@given(st.lists(st.text(st.characters(exclude_characters=",:"), max_size=6), max_size=5))
def test_any_text_is_a_group_or_a_name(texts):
    found = wanted_from(texts)
    parts = [one.strip() for one in texts if one.strip()]
    assert list(found.names) == [one for one in parts if one not in GROUPS]
    assert found.groups == (frozenset(parts) & set(GROUPS) if parts else ALL)


def test_all_is_every_group():
    assert all(Wanted().group(one) for one in GROUPS)
    some = Wanted(frozenset({"words"}))
    assert [one for one in GROUPS if some.group(one)] == ["words"]


def test_names_are_concepts_or_words():
    asked = Wanted(frozenset(), ("c0032285", "PLEURAL effusion", "opacity"))
    assert asked.cuis(NAMES) == [PNEUMONIA, EFFUSION]
    assert asked.words(NAMES) == ["opacity"]
    assert concept_named("chest", NAMES) == CHEST
    assert concept_named("ches", NAMES) == ""


def test_an_unknown_concept_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match="Nearest is 'C0032285'"):
        Wanted(frozenset(), ("C0032286",)).cuis(NAMES)
    with pytest.raises(UsageError, match="no concept of this model 'C9999999'"):
        concept_named("C9999999", {})


def test_an_unknown_word_is_refused_with_the_nearest_word_or_name():
    told = str(unknown_target("pneumonai", NAMES | {"C1": ""}, ["Chest", "radiograph"]))
    assert "pneumonai" in told
    assert "Nearest is 'Pneumonia'" in told
    many = {f"C{number:07}": f"Concept {number}" for number in range(900)}
    long = str(unknown_target("xyz", many, []))
    assert len(long) <= 600
    assert long.endswith(" and 870 more.")


def test_words_with_their_places():
    text = "T2* of the patient's L4/L5: non-contrast CT, 3 mm_"
    found = words_in(text)
    assert [one.text for one in found][:5] == ["T2", "of", "the", "patient's", "L4/L5"]
    assert "non-contrast" in [one.text for one in found]
    assert all(text[one.start : one.end] == one.text for one in found)
    assert words_in("  . ") == []


@given(st.text())
def test_words_of_any_text_do_not_overlap(text):
    ends = 0
    for one in words_in(text):
        assert one.start >= ends
        assert text[one.start : one.end] == one.text != ""
        ends = one.end


def test_words_that_name_concepts():
    said = {PNEUMONIA: "Pneumonia", XRAY: "Plain x-ray"}
    found = concepts_in("Chest radiograph: Pneumonia, no pleural effusion. Plain X-ray.", said, NAMES)
    assert [(one.text, one.cui) for one in found] == [
        ("Chest", CHEST),  # not decided for, and the model has it
        ("radiograph", XRAY),
        ("Pneumonia", PNEUMONIA),
        ("Plain X-ray", XRAY),
    ]


def test_what_was_decided_for_comes_first_and_spans_do_not_overlap():
    text = "Left pleural effusion"
    assert [one.cui for one in concepts_in(text, {}, NAMES)] == [EFFUSION]
    own = {"C7777777": "left pleural"}
    assert concepts_in(text, own, NAMES) == [Phrase(0, 12, "Left pleural", "C7777777")]
    assert concepts_in(text, {"C7777777": ""}, {}) == []
    long = {"C7777777": "effusion", "C7777778": "pleural effusion"}
    assert [one.text for one in concepts_in(text, long, {})] == ["pleural effusion"]


@given(st.text(max_size=30))
def test_every_token_of_a_text_writes_letters_of_it(text):
    tokens = tokenizer().encode(text)
    ends = token_ends(tokenizer(), tokens)
    assert ends == sorted(ends)
    assert not ends or ends[-1] == len(tokenizer().decode(tokens))


@pytest.mark.parametrize("text", [CAPTION, "Ménétrier: fièvré \u0104\u0105 \u4e2d\u6587 pneumonié 3 µm"])
def test_the_tokens_of_a_word_write_the_word(text):
    """Each letter is written by the tokens whose bytes overlap its own."""
    plain = train_bpe(["Menetrier"], 300)
    for one in (tokenizer(), plain):
        tokens = one.encode(text)
        ends = token_ends(one, tokens)
        edges = np.cumsum([len(one.parts.pieces[token - 3]) for token in tokens]) - 1  # of the first blank
        for word in words_in(text):
            first, last = token_range(ends, word.start, word.end)
            begin, end = (len(text[:place].encode()) for place in (word.start, word.end))
            overlapping = [
                place
                for place, edge in enumerate(edges)
                if edge > begin and (edges[place - 1] if place else -1) < end
            ]
            assert (first, last) == (overlapping[0], overlapping[-1] + 1)


def test_letters_that_no_token_writes_are_given_to_the_last():
    assert token_range([2, 5, 9], 12, 14) == (2, 3)
    assert token_range([2, 5, 9], 3, 12) == (1, 3)
    assert token_range([2, 5, 9], 0, 2) == (0, 1)


# values


def _evidence(key: str, kind: Kind, *, shown: bool = True, **more) -> Evidence:
    return Evidence(key, kind, key, np.ones((2, 2), np.float32) if shown else None, **more)


def test_what_a_figure_shows():
    evidence = (
        _evidence("word-0", Kind.WORD, place=(0, 2)),
        _evidence("C1", Kind.CONCEPT, cui="C1"),
        _evidence("C2", Kind.CONCEPT, cui="C2"),
        _evidence("C3", Kind.CONCEPT, cui="C3", shown=False),
        _evidence("neighbour-1", Kind.NEIGHBOUR),
        _evidence("span-9", Kind.SPAN, cui="C1", place=(9, 12)),
        _evidence("span-4", Kind.SPAN, cui="C4", place=(4, 6)),
        _evidence("C1-C2", Kind.CONTRAST),
    )
    one = Explanation("a", np.zeros((2, 2, 3), np.uint8), "m", "grad-cam", Origin.MODEL, evidence)
    assert [each.key for each in one.shown] == ["span-4", "span-9", "C2", "C1-C2", "neighbour-1"]


def test_values_are_told_as_json():
    full = Evidence(
        "C0032285", Kind.CONCEPT, "Pneumonia", None, "C0032285", 0.5,
        boxes=(Box(0.1, 0.2, 0.3, 0.4, 1 / 3),),
        place=(3, 9), note="why", paths=(("the image itself", 1 / 3),),
    )  # fmt: skip
    case = Case("train-1", 0.123456, "A caption.", "composed", ("Chest",), "CC0", "somebody")
    told = Explanation(
        "a", np.zeros((2, 2, 3), np.uint8), "m", "lrp", Origin.EXTERNAL, (full,), "Caption.", cases=(case,)
    ).to_json()
    assert json.loads(json.dumps(told)) == told
    (one,) = told["evidence"]
    assert one["boxes"] == [{"left": 0.1, "top": 0.2, "width": 0.3, "height": 0.4, "share": 0.3333}]
    assert (one["place"], one["has_map"], one["paths"]) == ([3, 9], False, {"the image itself": 0.3333})
    assert (one["cui"], one["faithfulness"], told["sanity"]) == ("C0032285", None, None)
    assert told["cases"][0]["similarity"] == 0.1235
    empty = _evidence("word-0", Kind.WORD).to_json()
    assert (empty["cui"], empty["place"], empty["has_map"]) == (None, None, True)
    assert re.fullmatch(r"[\w-]+", empty["key"])


def test_targets_are_values():
    both = [Contrast(Concept("a"), Span((1, 2), 0, 1)) for _ in range(2)]
    assert len({*both, Neighbour(1), Neighbour(1), Concept("a")}) == 3
