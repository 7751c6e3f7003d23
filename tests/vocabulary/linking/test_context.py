"""Negation and uncertainty: sentences of our own with what each finding should be, limits, hostile text.

The sentences stand in `tests/golden/vocabulary/context_sentences.txt`. A finding is read at its first
word, as mentions are.
"""

from __future__ import annotations

import json
import re
import time
import tomllib
from operator import eq
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.vocabulary.linking import triggers
from radcap.vocabulary.linking.context import Context
from radcap.vocabulary.linking.triggers import Reach, Role
from radcap.vocabulary.linking.word_rows import read_words
from radcap.vocabulary.words import data_file

FIGURES = (255, 247, 166)  # findings, how many we get right, how many medspacy does
FINDING = re.compile(r"\[([^|\]]+)\|([pnux])\]")


GOLDEN = Path(__file__).parents[2] / "golden" / "vocabulary"


def sentences() -> dict[str, list[str]]:
    """The marked sentences by section."""
    text = (GOLDEN / "context_sentences.txt").read_text("utf-8")
    sections = re.split(r"^= (\w+)\n", text, flags=re.MULTILINE)
    return {name: part.strip().split("\n") for name, part in zip(sections[1::2], sections[2::2], strict=True)}


SENTENCES = sentences()


def said(marked: str) -> list[tuple[str, str]]:
    """What the context says of each finding of a marked sentence."""
    places, text, last = [], "", 0
    for match in FINDING.finditer(marked):
        text += marked[last : match.start()]
        places.append((match[1], len(text)))
        text += match[1]
        last = match.end()
    row = read_words([text + marked[last:]])
    negated, uncertain = Context.english().marks(row)
    codes = []
    for finding, start in places:
        word = int(np.searchsorted(row.start, start))
        codes.append((finding, "pnux"[int(negated[word]) + 2 * int(uncertain[word])]))
    return codes


@pytest.mark.parametrize("marked", [*SENTENCES["plain"], *SENTENCES["scopes"], *SENTENCES["lookalikes"]])
def test_sentence(marked: str):
    assert said(marked) == FINDING.findall(marked)


@pytest.mark.parametrize("marked", SENTENCES["misses"])
@pytest.mark.xfail(reason="known miss", strict=True)
def test_known_miss(marked: str):
    assert said(marked) == FINDING.findall(marked)


def test_right_more_often_than_the_reference_tool():
    golden = json.loads((GOLDEN / "context_medspacy.json").read_text("utf-8"))
    every = [one for part in SENTENCES.values() for one in part]
    assert [case["sentence"] for case in golden["cases"]] == every
    truth = [code for one in every for _, code in FINDING.findall(one)]
    ours = [code for one in every for _, code in said(one)]
    theirs = [code for case in golden["cases"] for code in case["codes"]]
    right = [sum(map(eq, truth, answers)) for answers in (ours, theirs)]
    assert (len(truth), *right) == FIGURES


def marked(texts: list[str], context: Context | None = None) -> tuple[list[str], list[str]]:
    """The words of all texts that are negated, and those that are uncertain."""
    row = read_words(texts)
    negated, uncertain = (context or Context.english()).marks(row)
    return (
        [word for word, mark in zip(row.words, negated, strict=True) if mark],
        [word for word, mark in zip(row.words, uncertain, strict=True) if mark],
    )


@pytest.mark.parametrize(
    ("text", "negated", "uncertain"),
    [
        ("", "", ""),
        ("no", "", ""),
        ("not", "", ""),
        ("not significantly", "significantly", ""),
        ("No.", "", ""),
        ("Mass (no)", "", ""),
        ("no (visible) mass", "visible mass", ""),
        ("mass (no effusion) in liver", "effusion", ""),
        ("no mass \u2013 effusion", "mass", ""),
        ("no mass - effusion", "mass", ""),
        ("no mass\u2014effusion", "mass", ""),
        ("not, mass", "", ""),
        ("non (dilated) duct", "", ""),
        ("No, a mass", "", ""),
        ("no mass, and", "mass", ""),
        ("no mass, cyst and", "mass cyst and", ""),
        ("no mass, cyst and the heart", "mass", ""),
        ("no mass, large cyst and heart", "mass", ""),
        ("no mass and the", "mass and", ""),
        ("no 3 and no mass", "mass", ""),
        ("mass: cyst absent", "cyst", ""),
        ("mass (cyst absent)", "cyst", ""),
        ("mass (absent)", "mass", ""),
        ("mass, absent", "mass", ""),
        ("absent", "", ""),
        ("mass absent and cyst", "mass", ""),
        ("mass absent; cyst", "mass", ""),
        ("is absent", "", ""),
        ("no mass, cyst is absent", "mass cyst", ""),
        ("?", "", ""),
        ("? mass", "", ""),
        ("(?mass)", "", "mass"),
        ("mass?cyst", "", "mass"),
        ("mass??", "", "mass"),
        ("How large is this mass?", "", ""),
        ("VS mass", "", ""),
        ("mass vs cyst", "", "mass cyst"),
    ],
)
def test_limits(text: str, negated: str, uncertain: str):
    assert marked([text]) == (negated.split(), uncertain.split())


def test_no_further_than_its_reach():
    words = [f"w{number}" for number in range(40)]
    context = Context.of(
        {"negates_following": ["no"], "negates_preceding": ["absent"], "doubts_around": ["or"]},
        Reach(3, 2, 1),
    )
    assert marked([f"no {' '.join(words)}"], context)[0] == words[:3]
    assert marked([f"{' '.join(words)} absent"], context)[0] == words[-2:]
    assert marked(["one two or three four"], context)[1] == ["two", "three"]
    assert marked([f"no {' '.join(words)}"])[0] == words[:14]


def test_phrases_of_others():
    context = Context.of({"negates_following": ["pas de|d'"], "ends": ["mais"]})
    assert marked(["pas de fracture mais un \u00e9panchement"], context) == (["fracture"], [])
    assert context.version == 0


def test_what_ships_is_read_once_and_has_a_version():
    assert Context.english() is Context.english()
    assert Context.english().version == 1


def test_a_role_that_is_none_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"no role 'negates_folowing'. Nearest is 'negates_following'"):
        Context.of({"negates_folowing": ["no"]})


def test_every_list_that_ships_has_a_role_and_phrases():
    lists = tomllib.loads(data_file("context.toml").read_text("utf-8"))["triggers"]
    assert {name.upper() for name in lists} == {str(one.name) for one in Role}
    for name, phrases in lists.items():
        assert phrases == list(dict.fromkeys(phrases)), name
        assert all(phrase == phrase.lower() and phrase.split() for phrase in phrases), name


WORDS = st.sampled_from(
    [
        *(
            "no",
            "not",
            "non",
            "without",
            "absent",
            "is",
            "was",
            "seen",
            "possible",
            "versus",
            "or",
            "and",
            "the",
        ),
        *("of", "mass", "effusion", "liver", "3", "in", "but", ",", ".", ";", "?", "(", ")", ":", "-"),
    ]
)
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=4)), max_size=25).map(" ".join)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_text_is_marked_alone_as_among_others(texts: list[str]):
    texts = [text.replace("\0", "") for text in texts]
    together = marked(texts)
    alone = [marked([text]) for text in texts]
    assert together == (
        [word for one, _ in alone for word in one],
        [word for _, one in alone for word in one],
    )


@given(TEXTS)
def test_marks_do_not_leave_their_sentence(text: str):
    row = read_words([text, "pneumothorax in the left lung"])
    negated, uncertain = Context.english().marks(row)
    assert not negated[-4:].any()
    assert not uncertain[-4:].any()
    assert len(negated) == len(uncertain) == len(row.words)


@pytest.mark.parametrize(
    "piece", ["no ", "no mass, ", "absent ", "mass is absent, ", "? ", "a? ", "versus ", "(no "]
)
def test_work_grows_with_the_text_and_no_faster(piece: str):
    text = piece * (40_000 // len(piece))
    start = time.process_time()
    marked([text])
    assert time.process_time() - start < 4  # a quadratic search takes minutes


def test_more_spellings_than_are_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(triggers, "_MOST_WORDS", 3)
    context = Context.of({"negates_following": ["no"]})
    assert marked(["one two three four five no six seven"], context)[0] == ["six", "seven"]
