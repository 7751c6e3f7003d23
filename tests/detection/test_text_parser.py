"""Lists and sentences of models, read for the names of labels."""

from __future__ import annotations

import time
from difflib import SequenceMatcher

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from radcap.core import NAMES
from radcap.detection.text import near_names, parser, written
from radcap.detection.text.near_names import NearNames
from radcap.detection.text.parser import ListParser
from radcap.detection.text.written import plain
from radcap.vocabulary.words import normal, split

FURTHER = {
    "C0032227": "Pleural effusion",
    "C0013687": "effusion",
    "C0577559": "Mass",
    "C0040399": "Tomography, Emission-Computed",
    "C0040395": "Tomography",
    "C0266292": "Absence of kidney",
    "C0000001": "",
    "C0000002": "MASSES",  # the same name again: the first one has it
}
LABELS = {**NAMES, **FURTHER}
PARSER = ListParser.of(LABELS)


def named(text: str, of: ListParser = PARSER) -> set[str]:
    return {LABELS[cui] for cui in of.concepts(text)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Chest, Pelvis, Spine", {"Chest", "Pelvis", "Spine"}),
        ("Concepts: chest; pelvis", {"Chest", "Pelvis"}),
        ("The detected findings are: chests", {"Chest"}),
        ("- Chest\n- Pelvis\n* Spine\n\u2022 Mass", {"Chest", "Pelvis", "Spine", "Mass"}),
        ("1. Chest\n2) Pelvis\n(3) Spine", {"Chest", "Pelvis", "Spine"}),
        ("- Chest - Pelvis | Spine", {"Chest", "Pelvis", "Spine"}),
        ('["Chest", "Pelvis"]', {"Chest", "Pelvis"}),
        ("['Chest', 'Pelvis']", {"Chest", "Pelvis"}),
        ('{"anatomy": ["Chest"], "Mass": false, "Pleural effusion": true}', {"Chest", "Pleural effusion"}),
        ("C0817096;c0030797, C9999999 (C0577559)", {"Chest", "Pelvis", "Mass"}),
        (
            "A plain X-ray of the chest with pleural effusions and a mass.",
            {"Plain x-ray", "Chest", "Pleural effusion", "Mass"},
        ),
        ("chest, no pleural effusion", {"Chest"}),
        ("no pleural effusion or mass\nchest", {"Chest"}),
        ("Pleural effusion: no\nMass: yes", {"Mass"}),
        ("Pleural effusion (absent), mass", {"Mass"}),
        ("Mass is not seen. Chest", {"Chest"}),
        ("no C0577559, chest", {"Chest"}),
        ("Absence of kidney", {"Absence of kidney"}),
        ("tomography, emission-computed, chest", {"Tomography, Emission-Computed", "Chest"}),
        ("tomography, chest", {"Tomography", "Chest"}),
        ("pleural, effusion", {"effusion"}),
        ("pleural efusion and ultrasonografy", {"Pleural effusion", "Ultrasonography"}),
        ("no pleural efusion", set()),
        ("PLAIN X-RAY", {"Plain x-ray"}),
        ("", set()),
        ("Nothing is to be seen.", set()),
    ],
)
def test_names_are_found_in_lists_and_sentences(text: str, wanted: set[str]) -> None:
    assert named(text) == wanted


def test_rows_of_texts_are_rows_of_labels() -> None:
    found = PARSER.read(["Chest", "", "C0577559"])
    assert found.dtype == np.bool_
    assert [[PARSER.labels[n] for n in np.flatnonzero(row)] for row in found] == [
        ["C0817096"],
        [],
        ["C0577559"],
    ]


def test_how_like_a_name_must_be_is_a_setting() -> None:
    strict, loose = ListParser.of(LABELS, 1.0), ListParser.of(LABELS, 0.5)
    assert named("pleural efusion", strict) == set()
    assert named("plural efusiom", loose) == {"Pleural effusion"}


def test_only_so_many_runs_of_words_are_guessed_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "_GUESSES", 2)
    assert named("aaa, bbb, pleural efusion") == set()
    assert named("aaa, pleural efusion, pelvis") == {"Pleural effusion", "Pelvis"}


_texts = st.text() | st.lists(
    st.sampled_from(
        [*LABELS.values(), *LABELS, "no", "or", ",", ";", ":", "\n", '"', "[", "absent", "without", "(", "-"]
    ),
    max_size=30,
).map(" ".join)


@settings(max_examples=40)
@given(_texts)
def test_any_text_is_read_and_only_labels_are_answered(text: str) -> None:
    assert set(PARSER.concepts(text)) <= set(LABELS)


@settings(max_examples=40)
@given(st.text(alphabet=st.characters(codec=None)))
def test_odd_signs_are_read_too(text: str) -> None:
    assert set(PARSER.concepts(text)) <= set(LABELS)


_FORMS = {
    "commas": ", ".join,
    "semicolons": ";".join,
    "lines": "\n".join,
    "bullets": lambda names: "\n".join(f"- {one}" for one in names),
    "numbers": lambda names: "\n".join(f"{n}. {one}" for n, one in enumerate(names, 1)),
    "json": lambda names: "[" + ", ".join(f'"{one}"' for one in names) + "]",
    "concepts": lambda names: "Concepts: " + ", ".join(names),
}


@settings(max_examples=40)
@given(
    st.sets(st.sampled_from(sorted(set(LABELS) - {"C0000001", "C0000002"}))), st.sampled_from(sorted(_FORMS))
)
def test_lists_of_label_names_come_back(cuis: set[str], form: str) -> None:
    names = sorted(LABELS[cui] for cui in cuis)
    assert set(PARSER.concepts(_FORMS[form](names))) == cuis
    assert set(PARSER.concepts(_FORMS[form](sorted(cuis)))) == cuis


_word = st.text("bcdfghklmprt", min_size=3, max_size=8)


@settings(max_examples=40)
@given(
    st.lists(st.lists(_word, min_size=1, max_size=4).map(" ".join), unique=True, max_size=8),
    st.sampled_from(sorted(_FORMS)),
)
def test_any_names_come_back_from_any_list(names: list[str], form: str) -> None:
    plainly = [" ".join(normal(word) for word in split(name)[1::2]) for name in names]
    assume(len(set(plainly)) == len(names))
    labels = {f"C{number:07}": name for number, name in enumerate(names)}
    assert ListParser.of(labels).concepts(_FORMS[form](names)) == list(labels)


@pytest.mark.parametrize(
    "piece",
    [
        "no ",
        "no a, ",
        "chest ",
        "tomography, ",
        "a? ",
        "\n",
        " ",
        ": ",
        "(no",
        '["',
        "x",
        "- ",
        "1. ",
        " - ",
        "list of ",
        "pleural efusio, ",
        "\u0301",
        "\0",
        ": no ",
    ],
)
def test_long_hostile_texts_take_time_as_they_are_long(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = piece * (100_000 // len(piece))
    monkeypatch.setattr(written, "_LONGEST", len(text))
    begun = time.process_time()
    plain(text)
    monkeypatch.undo()
    assert set(PARSER.concepts(text)) <= set(LABELS)
    assert time.process_time() - begun < 10  # squares of it would take hours


def test_a_text_that_goes_on_for_ever_is_read_to_its_limit() -> None:
    assert named("chest, " * 5_000 + "pelvis") == {"Chest"}
    assert len(plain("a" * 10**6)) == 20_000


@settings(max_examples=40)
@given(
    st.lists(st.text("abcde ", min_size=1, max_size=12), max_size=12),
    st.text("abcdef ", min_size=1, max_size=12),
    st.floats(0.05, 1.0),
)
def test_the_nearest_name_is_the_one_that_all_comparisons_give(
    names: list[str], words: str, cutoff: float
) -> None:
    found = NearNames(tuple(names), cutoff).nearest(words)
    ratios = [SequenceMatcher(None, name, words, autojunk=False).ratio() for name in names]
    best = max(ratios, default=0.0)
    assert found == (ratios.index(best) if ratios and best >= cutoff else None)


def test_answers_are_remembered_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_names, "_KEPT", 2)
    near = NearNames(("chest", "spine"), 0.8)
    assert [near.nearest(one) for one in ("chst", "chst", "spin", "none", "chst")] == [0, 0, 1, None, 0]
