"""Text preparation, section 4: the worked examples, and the NLTK pipeline of the day as the reference."""

from __future__ import annotations

import string
import unicodedata
from importlib.resources import files
from itertools import groupby

import pytest
from caption_samples import CAPTION_TEXT, few, real_captions
from hypothesis import given
from nltk.stem.snowball import SnowballStemmer
from nltk.tokenize import TreebankWordTokenizer

from radcap.core import UsageError
from radcap.metrics import Preparation, prepare

STOP_WORDS = files("radcap").joinpath("data", "words", "stopwords_english.txt").read_text("utf-8").split()
NO_PUNCTUATION = str.maketrans("", "", string.punctuation)

nltk_stem = SnowballStemmer("english").stem
nltk_tokenize = TreebankWordTokenizer().tokenize


def words_of_nltk(caption: str) -> list[str]:
    """Lower, punctuation, word_tokenize, stop words: what P17 and P22c share. No sentence ends are left."""
    tokens = nltk_tokenize(caption.lower().translate(NO_PUNCTUATION))
    return [token for token in tokens if token not in STOP_WORDS]


def p17_of_nltk(caption: str) -> list[str]:
    return list(filter(None, map(nltk_stem, words_of_nltk(caption))))  # '\u2019\u2019s' has an empty stem


def p23_by_hand(caption: str) -> str:
    """Runs of decimal digits of any script become `number`, then ASCII punctuation goes."""
    runs = groupby(caption.lower(), key=lambda letter: unicodedata.category(letter) == "Nd")
    text = "".join("number" if digits else "".join(letters) for digits, letters in runs)
    return "".join(letter for letter in text if letter not in string.punctuation)


# --- P17 ---


def test_p17_worked_example() -> None:
    caption = "CT scan of the abdomen, showing a 3.5-cm mass (arrow)."
    assert prepare([caption], Preparation.P17) == ["ct scan abdomen show 35cm mass arrow"]


@pytest.mark.parametrize(
    ("caption", "prepared"),
    [
        ("The patient's CT", "patient ct"),  # the apostrophe goes first, then "patients" is stemmed
        ("Crohn\u2019s disease", "crohn diseas"),
        ("It cannot be seen", "seen"),  # 'can' and 'not', both stop words
        ("\u201ccannot\u201d", "\u201c \u201d"),  # the quotes become tokens
        ("a wanna-be", "wannab"),  # the hyphen goes first, and 'wannabe' is no wanna
        ("we wanna go", "wan na go"),
        ("being there", ""),  # stop words go before stemming
        ("", ""),
        ("...", ""),
        ("  CT\t \u00a0scan ", "ct scan"),
    ],
)
def test_p17_by_example(caption: str, prepared: str) -> None:
    assert prepare([caption], Preparation.P17) == [prepared]
    assert p17_of_nltk(caption) == prepared.split()


def test_p17_equals_the_nltk_pipeline_on_real_captions() -> None:
    captions = real_captions()
    assert [one.split() for one in prepare(captions, Preparation.P17)] == list(map(p17_of_nltk, captions))


@few
@given(CAPTION_TEXT)
def test_p17_equals_the_nltk_pipeline_on_any_text(caption: str) -> None:
    assert prepare([caption], Preparation.P17)[0].split() == p17_of_nltk(caption)


def test_the_stop_words_are_the_179_of_nltk_and_go_before_stemming() -> None:
    assert len(STOP_WORDS) == len(set(STOP_WORDS)) == 179
    assert {"i", "the", "of", "between", "wouldn't"} <= set(STOP_WORDS)
    assert prepare(["having haves"], Preparation.P17) == [
        "have"
    ]  # 'have' itself is one, its forms are not all


# --- P22 and P22c ---


def test_p22c_drops_punctuation_and_stop_words_and_changes_no_word() -> None:
    captions = ["CT scan of the abdomen, showing a 3.5-cm mass (arrow).", "The", ""]
    assert prepare(captions, Preparation.P22C) == ["ct scan abdomen showing 35cm mass arrow", "", ""]


@few
@given(CAPTION_TEXT)
def test_p22c_is_p17_without_stems(caption: str) -> None:
    assert prepare([caption], Preparation.P22C)[0].split() == words_of_nltk(caption)


def test_p22_is_p22c_with_lemmas() -> None:
    asked: list[list[list[str]]] = []

    def lemmatise(texts: list[list[str]]) -> list[list[str]]:
        asked.append(texts)
        return [[word.removesuffix("s") for word in words] for words in texts]

    captions = ["The lungs, showing masses", "of"]
    assert prepare(captions, Preparation.P22, lambda: lemmatise) == ["lung showing masse", ""]
    assert asked == [[["lungs", "showing", "masses"], []]]


@pytest.mark.parametrize("how", [one for one in Preparation if one is not Preparation.P22])
def test_only_p22_asks_for_a_lemmatiser(how: Preparation) -> None:
    def never() -> None:
        raise AssertionError("a lemmatiser was asked for")

    assert len(prepare(["The lungs"], how, never)) == 1  # type: ignore[arg-type]


def test_p22_without_a_lemmatiser_is_refused_since_it_would_be_p22c() -> None:
    with pytest.raises(UsageError, match=r"No lemmatiser was given\. P22 without one is P22c"):
        prepare(["The lungs"], Preparation.P22)


# --- P23 and RAW ---


@pytest.mark.parametrize(
    ("caption", "prepared"),
    [
        ("3.5 cm", "numbernumber cm"),
        ("1,000", "numbernumber"),
        ("T2-weighted", "tnumberweighted"),
        ("L4/5", "lnumbernumber"),
        ("2nd", "numbernd"),
        (
            "CT (axial), 10 mm \u2013 \u201carrow\u201d",
            "ct axial number mm \u2013 \u201carrow\u201d",
        ),
        ("10 mm\u00b2 and cm\u00b3", "number mm\u00b2 and cm\u00b3"),  # superscripts are no digits
        ("\u0663\u0664 mm, \uff11\uff12", "number mm number"),  # Arabic-Indic and full-width ones are
        ("  two  blanks\t", "  two  blanks\t"),  # neither trimmed nor merged
        ("...", ""),
        ("", ""),
    ],
)
def test_p23_worked_examples(caption: str, prepared: str) -> None:
    assert prepare([caption], Preparation.P23) == [prepared] == [p23_by_hand(caption)]


@few
@given(CAPTION_TEXT)
def test_p23_equals_the_steps_by_hand(caption: str) -> None:
    assert prepare([caption], Preparation.P23) == [p23_by_hand(caption)]


def test_p23_on_real_captions() -> None:
    captions = real_captions()
    assert prepare(captions, Preparation.P23) == list(map(p23_by_hand, captions))


def test_raw_is_as_written() -> None:
    captions = ["  CT (axial), 10 mm ", ""]
    assert prepare(iter(captions), Preparation.RAW) == captions


def test_a_preparation_is_known_by_the_name_of_the_documentation() -> None:
    assert [str(one) for one in Preparation] == ["P17", "P22", "P22c", "P23", "RAW"]


def test_a_preparation_is_asked_for_by_its_name_and_an_unknown_one_refused_with_the_nearest() -> None:
    assert prepare(["3.5 cm"], "P23") == ["numbernumber cm"]
    with pytest.raises(UsageError, match=r"no preparation 'P24'\. Nearest is 'P2"):
        prepare(["3.5 cm"], "P24")
