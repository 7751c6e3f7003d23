"""Only words of a list are written, whole."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.captioning.generation import Lexicon
from radcap.captioning.grammar import LEADING_WORDS, plain_words, sentence, words_of
from radcap.captioning.grammar.facts import Facts
from radcap.captioning.naming import findings_named
from radcap.captioning.texts import oddities
from radcap.captioning.tokens import train_bpe

TEXTS = ["Axial CT of the chest, with contrast.", "MRI of the brain showing a mass.", "PET/CT, COVID-19."]
TOKENIZER = train_bpe(TEXTS * 3, 320)
WORDS = ("axial", "CT", "of", "the", "chest", "COVID-19", "PET/CT")
LEXICON = Lexicon(TOKENIZER, WORDS)


def allowed(tokens: list[int], own: tuple[str, ...] = ()) -> set[int]:
    """The tokens that may come next, for one image."""
    written = torch.tensor([tokens], dtype=torch.long).reshape(1, len(tokens))
    ruled = LEXICON.control([own])(written, torch.zeros(1, TOKENIZER.size), torch.tensor([0]))
    return set(ruled[0].isfinite().nonzero()[:, 0].tolist())


def can_write(text: str, own: tuple[str, ...] = ()) -> bool:
    """Whether each token of a text, and its end, is allowed after those before it."""
    tokens = [*TOKENIZER.encode(text), TOKENIZER.end]
    return all(token in allowed(tokens[:place], own) for place, token in enumerate(tokens))


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("Axial CT of the chest.", True),
        ("axial CT", True),
        ("CT, axial, of the chest.", True),
        ("PET/CT of the chest", True),
        ("COVID-19.", True),
        ("Axial MRI of the chest.", False),
        ("Axial CT of the che.", False),  # no whole word
        ("Axial CT of the chests.", False),
        ("COVID-199.", False),
        (".CT", False),
        ("CT.. of", False),
        ("axial Axial", False),  # a capital only where a caption begins
        ("", False),
    ],
)
def test_what_can_be_written(text: str, possible: bool) -> None:
    assert can_write(text) is possible


def test_an_image_has_words_of_its_own() -> None:
    assert not can_write("CT of the brain.")
    assert can_write("CT of the brain.", ("brain",))
    control = LEXICON.control([("brain",), ()])
    start = TOKENIZER.encode("CT of the")
    ruled = control(torch.tensor([start, start]), torch.zeros(2, TOKENIZER.size), torch.tensor([0, 1]))
    brain = TOKENIZER.encode("CT of the brain")[len(start)]
    assert ruled[0, brain] == 0
    assert ruled[1, brain] == float("-inf")


def test_what_is_allowed_keeps_its_value() -> None:
    logits = torch.arange(TOKENIZER.size, dtype=torch.float32)[None]
    ruled = LEXICON.control([()])(torch.empty(1, 0, dtype=torch.long), logits.clone(), torch.tensor([0]))
    kept = ruled[0].isfinite()
    assert torch.equal(ruled[0][kept], logits[0][kept])
    assert 0 < int(kept.sum()) < TOKENIZER.size


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=24))
def test_whatever_is_chosen_the_words_are_of_the_list(choices: list[int]) -> None:
    """Follow any path of allowed tokens to its end: the text holds words of the list alone."""
    tokens: list[int] = []
    for choice in choices:
        options = sorted(allowed(tokens))
        token = options[choice % len(options)]
        if token == TOKENIZER.end:
            break
        tokens.append(token)
    else:
        while TOKENIZER.end not in (options := sorted(allowed(tokens))):
            tokens.append(options[0])
    known = {word.lower() for word in WORDS}
    said = words_of(TOKENIZER.decode(tokens))
    assert said
    assert {word.lower() for word in said} <= known


class Joining:
    """A tokenizer that joins a word with the full stop before it."""

    size, pad, begin, end = 300, 0, 1, 2

    def encode(self, text: str) -> list[int]:
        return [9] if text == "." else [7] if text.startswith(".") else [ord(one) for one in text]


def test_a_tokenizer_that_joins_words_with_what_stands_before() -> None:
    lexicon = Lexicon(Joining(), ("ab",))  # pyright: ignore[reportArgumentType]
    control = lexicon.control([()])
    written = torch.tensor([[ord("a"), ord("b")]])
    ruled = control(written, torch.zeros(1, 300), torch.tensor([0]))
    assert {*ruled[0].isfinite().nonzero()[:, 0].tolist()} >= {2, ord(" ")}


def test_plain_words_name_no_finding() -> None:
    assert {
        "CT",
        "MRI",
        "axial",
        "T2-weighted",
        "chest",
        "brain",
        "sinuses",
        "of",
        "contrast",
    } <= plain_words()
    assert not plain_words() & LEADING_WORDS
    assert [word for word in sorted(plain_words()) if findings_named(f"CT of the {word}.")] == []


def test_plain_sentences_are_made_of_plain_words() -> None:
    facts = Facts("MRI", sequence="T2-weighted", plane="sagittal", region="spine")
    known = {word.lower() for word in plain_words()}
    for key in ("", "a", "b", "c", "d", "e"):
        assert {word.lower() for word in words_of(sentence(facts, key))} <= known


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("Axial CT of the head without contrast.", set()),
        ("Axial CT of the head, and of the neck, with and without contrast.", set()),
        ("Axial axial CT.", {"axial"}),
        ("Contrast-enhanced MRI with gadolinium.", {"contrast-enhanced", "gadolinium"}),
        ("Chest X-ray with intravenous contrast.", {"intravenous", "contrast"}),
        ("MR image with gastrointestinal contrast.", {"gastrointestinal"}),
        ("CT with gadolinium.", {"gadolinium"}),
        ("Gastrointestinal MRI.", set()),
        ("", set()),
        ("Radiograph of the X-ray of the chest.", {"radiograph", "x-ray"}),
        ("Axial T2-weighted MR image of the MRI of the brain.", {"mr", "mri", "image"}),
        ("Mediolateral oblique mammogram.", set()),
        ("MRI showing a craniocaudal image of the optic glioma.", {"mri", "image"}),
        ("Transverse ultrasound image.", set()),
        ("Cerebral angiogram showing a arteriovenous malformation.", {"a arteriovenous"}),
        ("An ectopic pregnancy on a MRI.", {"a mri"}),
        ("An X-ray , a", set()),
    ],
)
def test_oddities(text: str, odd: set[str]) -> None:
    assert oddities(text) == odd
