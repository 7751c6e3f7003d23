"""Findings that are not supported are not named, and refused where they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
import torch
from captioning_samples_generation import one_thread  # noqa: F401 - used by every test

from radcap.captioning.generation import FORBIDDEN, Support
from radcap.captioning.tokens.bpe import train_bpe

EFFUSION, PLEURAL_EFFUSION, MASS = "C0013687", "C0032227", "C0577559"
PHRASES = {EFFUSION: ["effusion"], PLEURAL_EFFUSION: ["Pleural  effusion", "effusion"], MASS: ["Mass", ""]}


class Spaced:
    """Words with the blank before them, as GPT-2 has them: another token at the beginning of a text."""

    pad = begin = end = 0
    size = 99

    def __init__(self) -> None:
        self.words: dict[str, int] = {}

    def encode(self, text: str) -> list[int]:
        return [self.words.setdefault(word, len(self.words) + 1) for word in re.findall(r" ?\w+|.", text)]


class Joined(Spaced):
    """A point and the word after it are one token."""

    def encode(self, text: str) -> list[int]:
        return [
            self.words.setdefault(word, len(self.words) + 1) for word in re.findall(r"\. \w+| ?\w+|.", text)
        ]


def is_free(
    support: Support, tokenizer, written: str | Sequence[int], following: int, supported: set[str]
) -> bool:
    """Whether a token may follow some words."""
    tokens = tokenizer.encode(written) if isinstance(written, str) else list(written)
    rows = torch.tensor([tokens], dtype=torch.int64)
    ruled = support.ban([supported])(rows, torch.zeros(1, tokenizer.size), torch.tensor([0]))
    return ruled[0, following].item() > FORBIDDEN


@pytest.mark.parametrize(
    ("written", "word", "supported", "expected"),
    [
        ("left", " mass", set(), False),
        ("left", " mass", {MASS}, True),
        ("left.", " Mass", set(), False),
        ("", "Mass", set(), False),
        ("", "mass", set(), False),
        ("", "Mass", {MASS}, True),
        ("left", "mass", set(), True),  # the end of another word
        ("left", " mass", {"C0000001"}, False),
        # a phrase of two concepts is allowed with either
        ("left", " effusion", {PLEURAL_EFFUSION}, True),
        ("left", " effusion", {EFFUSION}, True),
        ("left", " effusion", {MASS}, False),
        ("Pleural", " effusion", {EFFUSION}, False),
        (" pleural", " effusion", {EFFUSION}, False),
        (" pleural", " effusion", {PLEURAL_EFFUSION}, True),
        (" pleural", " mass", {PLEURAL_EFFUSION}, False),
    ],
)
def test_where_words_are_banned(written: str, word: str, supported: set[str], expected: bool) -> None:
    tokenizer = Spaced()
    support = Support(tokenizer, PHRASES)  # type: ignore[arg-type]
    assert is_free(support, tokenizer, written, tokenizer.encode(word)[0], supported) == expected


@pytest.mark.parametrize(("before", "expected"), [("a", False), ("a pleural", True), ("Pleural", True)])
def test_inside_a_supported_longer_phrase(before: str, expected: bool) -> None:
    tokenizer = Spaced()
    support = Support(tokenizer, {EFFUSION: ["effusion"], PLEURAL_EFFUSION: ["pleural effusion"]})  # type: ignore[arg-type]
    assert (
        is_free(support, tokenizer, before, tokenizer.encode(" effusion")[0], {PLEURAL_EFFUSION}) == expected
    )


def test_a_tokenizer_that_joins() -> None:
    tokenizer = Joined()
    support = Support(tokenizer, PHRASES)  # type: ignore[arg-type]
    assert not is_free(support, tokenizer, "left", tokenizer.encode(" mass")[0], set())


def test_with_pieces_of_words() -> None:
    captions = [
        "CT of the chest with a pleural effusion",
        "Pleural effusion",
        "Effusion of the knee",
        "no effusions",
    ]
    tokenizer = train_bpe(captions, size=300)
    support = Support(tokenizer, {EFFUSION: ["effusion"], PLEURAL_EFFUSION: ["pleural effusion"]})
    for text, expected in [
        ("CT with effusion", False),
        ("CT with pleural effusion", True),
        ("Effusion", False),
        ("Pleural effusion", True),
        ("CT. Effusion", False),
    ]:
        tokens = tokenizer.encode(text)
        free = [
            is_free(support, tokenizer, tokens[:place], token, {PLEURAL_EFFUSION})
            for place, token in enumerate(tokens)
        ]
        assert all(free) == expected, text
        # it is the last piece that is refused, so that other words may begin like it
        assert all(free[:-1])


def test_without_phrases() -> None:
    tokenizer = Spaced()
    assert is_free(Support(tokenizer, {}), tokenizer, "left", 5, set())  # type: ignore[arg-type]
