from __future__ import annotations

import multiprocessing
import pickle
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
import reference_linker
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vocabulary_samples import draft_of, vocabulary_of, write_vocabulary

from radcap.core import UsageError
from radcap.vocabulary.linking import linker as linker_module
from radcap.vocabulary.linking.context import Context
from radcap.vocabulary.linking.linker import Linker
from radcap.vocabulary.linking.word_rows import read_words
from radcap.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from radcap.vocabulary.linking.mentions import Mention

Concepts = dict[str, list[str]]

# Spellings that meet, come near or guard each other.
PIECES = (
    *("left", "Left", "ovary", "ovaries", "structure", "Structure", "of", "the", "The", "a", "A", "entire"),
    *("x", "X", "ray", "rays", "xray", "Xray", "non", "Non", "union", "nonunion", "re", "reunion"),
    *("CT", "CTs", "ct", "Ct", "US", "us", "Us", "US's", "IT", "it", "Rib", "rib", "ribs", "RIB", "AIDS"),
    *("aids", "chILD", "child", "NOS", "crohn", "हृदय"),
    *("oedema", "edema", "tumour", "tumors", "haemorrhage", "hemorrhages", "vertebrae", "vertebra"),
    *("Sjögren", unicodedata.normalize("NFD", "Sjögren"), "sjogren's", "Sjögren\u2019s", "Crohn's"),
    *("soft\u00adhyphen", "softhyphen", "zero\u200bwidth", "zerowidth", "22q11", "2", "5", "B", "肺炎"),
)  # fmt: skip
GAPS = (
    *(" ", " ", " ", " ", "-", "\u2010", "/", ", ", ". ", ".", "; ", "\n", "\n\n", "'", "+", " (", ") "),
    *(" \u200b ", "_"),
)

TEXTS = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), max_size=14).map(
    lambda parts: "".join(piece + gap for piece, gap in parts)
)
NAMES = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS[:12])), min_size=1, max_size=4).map(
    lambda parts: "".join(piece + gap for piece, gap in parts).rstrip(" ,;-\n./\u2010")
)
CUIS = st.integers(1, 6).map("C{:07d}".format)
CONCEPTS = st.dictionaries(CUIS, st.lists(NAMES, min_size=1, max_size=4, unique=True), max_size=6)


def linker_of(*layers: Concepts) -> Linker:
    return Linker([vocabulary_of(one) for one in layers])


@settings(max_examples=150, deadline=None)
@given(st.lists(CONCEPTS, min_size=1, max_size=2), st.lists(TEXTS, min_size=1, max_size=4))
@example([{"C0000001": ["nonunion", "union"]}], ["Non-union, nonunion; non union"])
@example([{"C0000001": ["X-ray"]}, {"C0000002": ["xray", "ray"]}], ["x-ray xray x ray"])
@example([{"C0000001": ["us"]}, {"C0000002": ["US"]}], ["US us Us", "US US"])
@example([{"C0000001": ["US"]}, {"C0000002": ["us's"]}], ["the US\u200b\u200b\u200b\u200b\u200b\u200b us"])
def test_a_linker_finds_what_brute_force_finds(layers: list[Concepts], texts: list[str]) -> None:
    linker = linker_of(*layers)
    reference = [reference_linker.Layer(one) for one in layers]
    for text, found in zip(texts, linker.extract(texts), strict=True):
        assert reference_linker.said(found) == reference_linker.said(reference_linker.link(reference, text))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(CONCEPTS, min_size=1, max_size=2),
    st.lists(TEXTS | st.text(max_size=30), max_size=6),
    st.booleans(),
)
def test_a_text_gives_the_same_alone_and_among_others(
    layers: list[Concepts], texts: list[str], trace: bool
) -> None:
    linker = linker_of(*layers)
    together = list(linker.extract(texts, trace=trace))
    assert together == [linker.link(text, trace=trace) for text in texts]
    for text, mentions in zip(texts, together, strict=True):
        assert_sound(text, mentions)
    untraced = list(linker.extract(texts))
    assert untraced == [tuple(one for one in mentions if one.kept) for mentions in together]


def assert_sound(text: str, mentions: tuple[Mention, ...]) -> None:
    """Places are right, the order is that of the text, and what is kept stands apart."""
    assert all(text[one.start : one.end] == one.text for one in mentions)
    assert [one.start for one in mentions] == sorted(one.start for one in mentions)
    kept = [one for one in mentions if one.kept]
    assert all(before.end <= after.start for before, after in pairwise(kept))
    assert all(one.why for one in mentions)


FOUND = [
    # names, text, what is found
    (["Pleural effusion"], "CT of the chest with left pleural effusion", ["pleural effusion"]),
    (["X-ray"], "x-ray xray x ray X\u2010ray", ["x-ray", "xray", "x ray", "X\u2010ray"]),
    (["xray", "ray"], "x-ray", ["x-ray"]),
    (["non-union"], "nonunion", ["nonunion"]),
    (["CT of chest"], "CT of the chest", ["CT of the chest"]),
    (["CT of the chest"], "CT of chest", ["CT of chest"]),
    (["Structure of left ovary"], "the left ovary", ["left ovary"]),
    (["The heart"], "The heart and THE heart", ["heart", "heart"]),
    (["Crohn disease"], "CROHN'S DISEASE", ["CROHN'S DISEASE"]),
    (["22q11.2 deletion syndrome"], "A 22q11.2 deletion syndrome.", ["22q11.2 deletion syndrome"]),
    (["O'Brien sign"], "O\u2019Brien sign", ["O\u2019Brien sign"]),
    (["CD4+ T cell"], "CD4+ T cells", ["CD4+ T cells"]),
    (["Clostridium difficile", "C difficile"], "C. difficile", ["C. difficile"]),
    (["heart failure"], "heart.\n\nFailure, heart, failure; heart\n\nfailure", []),
    (["heart failure"], "heart\nfailure", ["heart\nfailure"]),
    (["Rib"], "Rib and ribs", ["Rib", "ribs"]),
    (["CT"], "CT, CTs, CT's, ct", ["CT", "CTs", "CT's"]),
    (["CT"], "THE CTS AND IT", []),
    (["chILD"], "a child with chILD", ["chILD"]),
    (["IT", "CT"], "IT IS A CT", ["CT"]),
    (["左肺"], "左肺, 左肺上叶", ["左肺"]),
    (["हृदय की विफलता"], "यह हृदय की विफलता है।", ["हृदय की विफलता"]),
    (["tumor"], "tumor_size", ["tumor"]),
    (["a"], "a", []),
    (["7"], "7", []),
]


@pytest.mark.parametrize(("names", "text", "found"), FOUND, ids=lambda one: str(one)[:30])
def test_what_is_found(names: list[str], text: str, found: list[str]) -> None:
    assert [one.text for one in linker_of({"C0000001": names}).link(text)] == found


def test_a_variant_stays_one_when_its_prefix_is_taken_off() -> None:
    linker = linker_of({"C0000001": ["Structure of nonunion"], "C0000002": ["union"]})
    assert [(one.text, one.how.value) for one in linker.link("nonunion, non-union")] == [
        ("nonunion", "variant"),
        ("non-union", "variant"),
    ]


def test_the_first_layer_wins_and_longer_names_of_others_too() -> None:
    linker = linker_of({"C0000001": ["heart"]}, {"C0000002": ["heart"], "C0000003": ["heart failure"]})
    assert [one.cui for one in linker.link("heart, heart failure")] == ["C0000001", "C0000003"]


def test_every_dropped_mention_knows_why() -> None:
    linker = linker_of({"C0000001": ["pleural effusion"], "C0000002": ["effusion"], "C0000003": ["US"]})
    traced = linker.link("pleural effusion shows us", trace=True)
    assert [(one.text, one.kept, one.why) for one in traced] == [
        ("pleural effusion", True, "longest match"),
        ("effusion", False, "inside 'pleural effusion'"),
        ("us", False, "a short name in another case"),
    ]


def test_what_is_said_of_a_mention() -> None:
    vocabulary = vocabulary_of(draft_of({"C0000001": ["Effusion", "fluid"]}, types=[("C0000001", 46)]))
    (found,) = Linker([vocabulary]).link("no FLUID")
    assert found.to_json() == {
        "start": 3,
        "end": 8,
        "text": "FLUID",
        "cui": "C0000001",
        "name": "Effusion",
        "types": ["T046"],
        "how": "name",
        "negated": True,
        "uncertain": False,
        "others": [],
        "kept": True,
        "why": "longest match",
        "score": None,
    }


def test_a_short_form_that_is_no_word_of_the_row() -> None:
    """'An' is left out as an article, also where the text explains it, and also as the last word of all."""
    linker = linker_of({"C0000001": ["acute nephritis"]})
    text = "acute nephritis (An). No acute nephritis An"
    alone = linker.link(text)
    assert list(linker.extract(["no heart", text, "no heart"]))[1] == alone
    assert [(one.text, one.negated) for one in alone] == [
        ("acute nephritis", False),
        ("An", False),
        ("acute nephritis", True),
        ("An", False),
    ]


def test_texts_are_taken_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    linker = linker_of({"C0000001": ["heart"]})
    sizes: list[int] = []

    def counting(texts: list[str]) -> object:
        sizes.append(len(texts))
        return read_words(texts)

    monkeypatch.setattr(linker_module, "read_words", counting)
    monkeypatch.setattr(linker_module, "_BATCH", 12)
    assert [
        len(one) for one in linker.extract(iter(["heart", "heart", "", "heart heart heart", "lung"]))
    ] == [1, 1, 0, 3, 0]
    assert sizes == [2, 2, 1]


def test_texts_without_a_letter_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield ""

    monkeypatch.setattr(linker_module, "_BATCH", 100)
    assert next(linker_of({}).extract(endless())) == ()
    assert taken == 100


def test_no_texts_no_words_no_names() -> None:
    linker = linker_of({})
    assert list(linker.extract([])) == []
    assert list(linker.extract(["", "heart", "..."], trace=True)) == [(), (), ()]


def test_a_linker_needs_a_vocabulary() -> None:
    with pytest.raises(UsageError, match="without a vocabulary"):
        Linker([])


def test_words_are_kept_but_not_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linker_module, "_MOST_WORDS", 2)
    linker = linker_of({"C0000001": ["heart"]})
    assert len(linker.link("heart Heart HEART hearts heart's")) == 5
    assert len(linker._layers[0]._numbers) <= 2
    assert len(linker.link("heart" + "\u200b" * 500)) == 1
    assert max(map(len, linker._layers[0]._numbers)) < 100


def test_a_node_that_has_lost_its_names_names_nothing() -> None:
    vocabulary = vocabulary_of({"C0000001": ["heart failure"]})
    arrays = {name: np.array(one) for name, one in vocabulary._arrays.items()}
    arrays["trie.marks"] |= 1
    found = Linker([Vocabulary(arrays, vocabulary.stamp)]).link("heart failure", trace=True)
    assert [one.text for one in found] == ["heart failure"]


def test_the_names_of_every_layer_speak_for_an_abbreviation() -> None:
    first, second = {"C0000001": ["SMA"]}, {"C0000001": ["spinal muscular atrophy"], "C0000002": ["heart"]}
    text = "spinal muscular ataxia (SMA)"
    assert [one.cui for one in linker_of(first, {"C0000002": ["heart"]}).link(text)] == []
    assert [one.cui for one in linker_of(first, second).link(text)] == ["C0000001"]


def test_a_linker_in_its_block() -> None:
    with linker_of({"C0000001": ["heart"]}) as linker:
        assert len(linker.link("heart")) == 1


def count(linker: Linker, text: str) -> int:
    """In another process."""
    return len(linker.link(text))


def test_a_linker_goes_to_other_processes(tmp_path: Path) -> None:
    path = write_vocabulary(tmp_path / "x.vocab", {"C0000001": ["heart"]})
    linker = Linker([Vocabulary.open(path), vocabulary_of({"C0000002": ["lung"]})])
    assert len(pickle.dumps(Linker([Vocabulary.open(path)]))) < 600, "its path, not its arrays"
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(count, (linker, "heart and lung")) == 2


def test_the_context_goes_along() -> None:
    vocabulary = vocabulary_of({"C0000001": ["heart"]})
    silent = Linker([vocabulary], context=Context.of({"negates_following": ["never"]}))
    assert [one.negated for one in silent.link("no heart")] == [False]
    assert [one.negated for one in pickle.loads(pickle.dumps(silent)).link("no heart")] == [False]  # noqa: S301
    again = pickle.loads(pickle.dumps(Linker([vocabulary])))  # noqa: S301
    assert [one.negated for one in again.link("no heart")] == [True]
