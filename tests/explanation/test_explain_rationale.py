"""The rationale: calibrated words, places, warnings, and no concept that the model did not name."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.explanation.certainty import SCALE, how_likely, word_for
from radcap.explanation.faithfulness.values import Curve, Faithfulness, Sanity
from radcap.explanation.rationale import rationale
from radcap.explanation.rationale.places import place_of, where
from radcap.explanation.rationale.quoting import listed, quoted
from radcap.explanation.rationale.statements import language_only
from radcap.explanation.values import Box, Case, Evidence, Kind, Origin
from radcap.vocabulary import Linker, open_vocabulary
from radcap.zoo.finding import find

MAP = np.ones((4, 4), np.float32)
LOW_LEFT = Box(0.05, 0.6, 0.2, 0.3, 0.64)
CAPTION = "Chest radiograph showing pneumonia in the lung."
XRAY = Evidence("x", Kind.CONCEPT, "Plain x-ray", MAP, "C1306645", 0.998, localisable=False)
PNEUMONIA = Evidence("p", Kind.CONCEPT, "Pneumonia", MAP, "C0032285", 0.83, boxes=(LOW_LEFT,))
SPAN = Evidence("s", Kind.SPAN, "Pneumonia", MAP, "C0032285", boxes=(LOW_LEFT,), place=(25, 34))
EFFUSION = Evidence("e", Kind.CONCEPT, "Pleural effusion", MAP, "C0032227", 0.56)


def _tested(own: float, noise: float, edges: float, fall: float = 0.5) -> Faithfulness:
    """Areas by their differences: insertion less deletion; `fall` is what the picture adds."""
    gone = Curve((0, 1), (fall, 0))
    area = own + gone.area
    return Faithfulness(gone, Curve((0, 1), (area, area)), 0, noise, 0, edges)


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (1.0, "almost certain (p above 0.99)"),
        (0.95, "almost certain (p 0.95)"),
        (0.9499, "almost certain (p 0.95)"),  # the word fits the number that is printed
        (0.83, "very likely (p 0.83)"),
        (0.56, "likely (p 0.56)"),
        (0.5, "as likely as not (p 0.50)"),
        (0.3, "unlikely (p 0.30)"),
        (0.1, "very unlikely (p 0.10)"),
        (0.049, "very unlikely (p 0.05)"),
        (0.02, "most unlikely (p 0.02)"),
        (0.0, "most unlikely (p below 0.01)"),
    ],
)
def test_words_of_probabilities(probability: float, words: str) -> None:
    assert how_likely(probability) == words


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_scale_is_monotone(one: float, other: float) -> None:
    order = [word for _, word in SCALE]
    low, high = sorted((one, other))
    assert order.index(word_for(low)) >= order.index(word_for(high))
    assert [least for least, _ in SCALE] == sorted((least for least, _ in SCALE), reverse=True)


@pytest.mark.parametrize(
    ("box", "place"),
    [
        (LOW_LEFT, "the lower left part of the picture"),
        (Box(0.7, 0.05, 0.2, 0.2, 0.1), "the upper right part of the picture"),
        (Box(0.4, 0.4, 0.2, 0.2, 0.1), "the central part of the picture"),
        (Box(0.4, 0.8, 0.2, 0.2, 0.1), "the lower part of the picture"),
        (Box(0.8, 0.4, 0.2, 0.2, 0.1), "the right part of the picture"),
        (Box(0.0, 0.0, 0.9, 0.8, 0.9), "most of the picture"),
    ],
)
def test_places(box: Box, place: str) -> None:
    assert place_of(box) == place


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 0.7), st.floats(0.01, 0.7))
def test_a_mirrored_box_has_the_other_side(left: float, top: float, width: float, height: float) -> None:
    words = place_of(Box(left * (1 - width), top * (1 - height), width, height, 0.5))
    mirrored = place_of(
        Box((1 - left) * (1 - width), (1 - top) * (1 - height), width, height, 0.5),
    )
    turn = {"left": "right", "right": "left", "upper": "lower", "lower": "upper"}
    assert mirrored == " ".join(turn.get(word, word) for word in words.split())


def test_where_tells_the_boxes_with_most() -> None:
    small, third = Box(0.4, 0.4, 0.1, 0.1, 0.1), Box(0.9, 0.9, 0.1, 0.1, 0.05)
    assert where([]) == ""
    assert where([third, small, LOW_LEFT]) == (
        "the lower left part of the picture (64 % of the relevance in one box) and "
        "the central part of the picture (10 % of the relevance in one box) and 1 more"
    )


def test_quotations_hold_no_marks_of_others() -> None:
    assert quoted("a “mass”\n here") == '“a "mass" here”'
    assert listed(["a", "b"]) == "a and b"


def test_the_whole_text() -> None:
    span = Evidence(
        "s",
        Kind.SPAN,
        "Pneumonia",
        MAP,
        "C0032285",
        boxes=(LOW_LEFT,),
        place=(25, 34),
        paths=(("the image itself", 0.7), ("the concepts that the captioner was told", 0.3)),
    )
    words = [Evidence(f"w{place}", Kind.WORD, "the", None, place=(38, 41)) for place in range(2)]
    case = Case("A_1", 0.91, "Lobar pneumonia.", "original", ("Pneumonia",), "CC BY 4.0", "Somebody")
    text = rationale(CAPTION, [span, EFFUSION, PNEUMONIA, XRAY, *words], [case])
    assert text.splitlines() == [
        "Caption: “Chest radiograph showing pneumonia in the lung.”",
        (
            "Of the image as a whole: Plain x-ray, almost certain (p above 0.99)."
            " This is a property of the whole image, not of a part of it."
        ),
        (
            "In the caption “pneumonia” stands for: Pneumonia. To the model this is very likely (p 0.83)."
            " Where: the lower left part of the picture (64 % of the relevance in one box)."
            " It comes from the image itself (70 %) and the concepts that the captioner was told (30 %)."
        ),
        (
            "Found: Pleural effusion. To the model this is likely (p 0.56). The caption does not say it."
            " No place stands out."
        ),
        "Words that do not depend on this image, but on language alone: “the”.",
        "Left and right are those of the picture. The side of the patient is not known.",
        "Whether the maps are true to the model was not tested.",
        "Training images that are nearest to this one, as the model sees them (they prove nothing):",
        (
            "- “A_1”: similarity 0.91; its caption (original) is “Lobar pneumonia.”; it shares Pneumonia;"
            " licence “CC BY 4.0”; source “Somebody”."
        ),
    ]


def test_nothing_to_say() -> None:
    assert rationale("", []) == "The model says nothing of this image that could be explained."


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        # found, and no caption was written
        ([EFFUSION], "Found: Pleural effusion. To the model this is likely (p 0.56). No place stands out."),
        # no probability is known
        ([Evidence("a", Kind.CONCEPT, "Mass", MAP)], "Found: Mass. No place stands out."),
        (
            [Evidence("a", Kind.CONCEPT, "Mass", None, note="It is told.")],
            "No map was made of it. Note: It is told.",
        ),
        ([Evidence("a", Kind.CONCEPT, "Mass", MAP, localisable=False)], "Of the image as a whole: Mass."),
        ([Evidence("a", Kind.SPAN, "Mass", MAP, localisable=False)], "Of the image as a whole: Mass."),
        ([Evidence("a", Kind.SPAN, "Mass", MAP)], "In the caption “Mass” stands for: Mass."),
        ([Evidence("a", Kind.CONTRAST, "Mass, not cyst", MAP)], "Why one and not the other: Mass, not cyst."),
        ([Evidence("a", Kind.NEIGHBOUR, "A_1", MAP)], "A training image that spoke: A_1."),
        (
            [Evidence("a", Kind.SPAN, "Mass", MAP, paths=(("told", 1.0),))],
            "stands for: Mass. No place stands out. It comes from told (100 %).",
        ),
    ],
)
def test_sentences(evidence: list[Evidence], said: str) -> None:
    assert said in rationale("", evidence)


def test_the_caption_is_accused_of_nothing_it_may_have_said() -> None:
    spoken = Evidence("s", Kind.SPAN, "Pleural effusion", None, "C0032227", place=(0, 5))
    unsaid = "The caption does not say it."
    assert unsaid in rationale("pneumonia", [EFFUSION, SPAN])
    assert unsaid not in rationale("pneumonia", [EFFUSION])  # its words were not linked
    assert unsaid not in rationale("fluid", [EFFUSION, spoken])  # said, though by language alone
    assert unsaid not in rationale("a Pleural Effusion", [EFFUSION, SPAN])


@pytest.mark.parametrize(
    ("one", "alone"),
    [
        (Evidence("w", Kind.WORD, "the", None), True),
        (Evidence("w", Kind.WORD, "the", None, note="too long"), False),
        (Evidence("w", Kind.WORD, "the", MAP), False),
        (
            Evidence(
                "w",
                Kind.WORD,
                "the",
                MAP,
                paths=(("the image itself", 0.01), ("the concepts that the captioner was told", 0.99)),
            ),
            True,
        ),
        (Evidence("w", Kind.WORD, "the", None, paths=(("the image itself", 0.5),)), False),
        (Evidence("w", Kind.WORD, "CT", None, localisable=False), False),
        (Evidence("w", Kind.CONCEPT, "CT", None), False),
    ],
)
def test_words_of_language_alone(one: Evidence, alone: bool) -> None:
    assert language_only(one) is alone


def test_scores_without_calibration_are_no_probabilities() -> None:
    text = rationale("", [PNEUMONIA, XRAY], calibrated=False)
    assert "To the model this is of score 0.83 (not calibrated, so no probability)." in text
    assert not any(word in text for _, word in SCALE)


@pytest.mark.parametrize(
    ("tested", "said"),
    [
        (
            _tested(0.2, 0.3, 0.1),
            "The map of “Pneumonia” is no better than a map of noise: do not rely on it.",
        ),
        (
            _tested(0.2, 0.1, 0.2),
            "The map of “Pneumonia” is no better than a map of edges: do not rely on it.",
        ),
        (_tested(0.2, 0.2, 0.2), "no better than a map of noise"),
        (_tested(0.2, 0.1, 0.1995), "no better than a map of edges"),  # better, by less than rounding
        (_tested(0.2, 0.1995, 0.1), "no better than a map of noise"),
        (_tested(0.4, 0.3, 0.1), ""),
        (
            _tested(0.4, 0.3, 0.1, 0.01),
            "is of a statement that hardly changes when the picture is blurred away",
        ),
    ],
)
def test_maps_that_failed_are_told(tested: Faithfulness, said: str) -> None:
    text = rationale("", [Evidence("p", Kind.CONCEPT, "Pneumonia", MAP, faithfulness=tested)])
    assert said in text
    assert ("do not rely" in text) is bool(said) is (not tested.better)
    assert "not tested" not in text


def test_several_that_failed_share_a_sentence() -> None:
    bad = _tested(0.2, 0.3, 0.1)
    both = [Evidence(name, Kind.CONCEPT, name, MAP, faithfulness=bad) for name in ("Mass", "Cyst")]
    assert (
        "The maps of “Mass” and “Cyst” are no better than a map of noise: do not rely on them."
        in rationale("", both)
    )


def test_methods_that_failed_and_maps_of_others_are_told() -> None:
    insane, sane = (Sanity(("all",), (likeness,)) for likeness in (0.9, 0.1))
    assert "failed its sanity test" in rationale("", [PNEUMONIA], sanity=insane)
    assert "failed its sanity test" not in rationale("", [PNEUMONIA], sanity=sane)
    assert "failed its sanity test" not in rationale("", [PNEUMONIA], sanity=Sanity((), ()))  # it was not run
    other = rationale("", [PNEUMONIA], origin=Origin.EXTERNAL, sanity=insane)
    assert "of another system than the model" in other
    assert "sanity" not in other


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (Case("A", 0.996, licence="CC0"), "- “A”: similarity 1.00; perhaps the same picture; licence “CC0”."),
        (Case("A", 0.5), "licence not stated; its picture is left out, since"),
        (
            Case("A", 0.5, "Text", licence="CC BY-ND 4.0"),
            "its caption is “Text”; licence “CC BY-ND 4.0”; its picture",
        ),
        (Case("A", 0.5, concepts=("Mass", "Cyst"), licence="CC0"), "it shares Mass and Cyst;"),
        (Case("A", 0.5, concepts=("Mass", "Other"), licence="CC0"), "it shares 2 of what was said;"),
    ],
)
def test_cases(case: Case, said: str) -> None:
    evidence = [Evidence(name, Kind.CONCEPT, name, MAP) for name in ("Mass", "Cyst", "Mass")]
    assert said in rationale("", evidence, [case])


# the labels of the shipped detector: what the sentences are made of in use
NAMES = [line.split(",")[1] for line in (find("zoo:concepts") / "labels.csv").read_text().splitlines()[1:]]
boxes = st.builds(Box, *(st.floats(0, 0.5) for _ in range(4)), st.floats(0, 1))
tests_of_maps = st.builds(_tested, st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
pieces = st.builds(
    Evidence,
    st.sampled_from(["a", "b"]),
    st.sampled_from(list(Kind)),
    st.sampled_from(NAMES),
    st.sampled_from([None, MAP]),
    cui=st.sampled_from(["", "C1", "C2"]),
    probability=st.none() | st.floats(0, 1),
    boxes=st.lists(boxes, max_size=3).map(tuple),
    place=st.sampled_from([None, (0, 19), (27, 31), (50, 60), (5, 3)]),
    localisable=st.booleans(),
    note=st.sampled_from(["", "it holds for the whole"]),
    paths=st.sampled_from(
        [
            (),
            (("the image itself", 0.0), ("the concepts that the captioner was told", 1.0)),
            (("the image itself", 0.6), ("the concepts that the captioner was told", 0.4)),
        ]
    ),
    faithfulness=st.none() | tests_of_maps,
)
near = st.builds(
    Case,
    st.sampled_from(["A_1", "Appendicitis 2"]),
    st.floats(0, 1),
    st.sampled_from(["", "A “pneumonia” of the lung.", "Acute appendicitis"]),
    st.sampled_from(["", "original", "composed", "generated", "translated"]),
    st.lists(st.sampled_from([*NAMES, "Acute appendicitis"]), max_size=2).map(tuple),
    st.sampled_from(["", "CC BY 4.0", "CC BY-ND"]),
    st.sampled_from(["", "COVID-19 image data collection"]),
)


@cache
def _linker() -> Linker:
    return Linker([open_vocabulary()])


@cache
def _cuis(text: str) -> frozenset[str]:
    return frozenset(mention.cui for mention in _linker().link(text))


@settings(max_examples=80)
@given(
    st.sampled_from(["", "Computed tomography of the head with a bleeding."]),
    st.lists(pieces, max_size=5),
    st.lists(near, max_size=2),
    st.booleans(),
    st.sampled_from(list(Origin)),
)
def test_no_concept_is_named_that_the_model_did_not_name(
    caption: str, evidence: list[Evidence], cases: list[Case], calibrated: bool, origin: Origin
) -> None:
    text = rationale(caption, evidence, cases, calibrated=calibrated, origin=origin)
    plain = re.sub("“[^“”]*”", "“”", text)
    allowed = frozenset[str]().union(*(_cuis(one.label) for one in evidence))
    assert {mention.cui for mention in _linker().link(plain)} <= allowed
    assert text.count("“") == text.count("”")


@pytest.mark.parametrize("calibrated", [True, False])
def test_every_label_stays_itself_in_its_sentence(calibrated: bool) -> None:
    for name in NAMES:
        one = Evidence("a", Kind.CONCEPT, name, MAP, probability=0.5, boxes=(LOW_LEFT,))
        text = rationale("", [one], calibrated=calibrated)
        assert {mention.cui for mention in _linker().link(text)} <= _cuis(name)
