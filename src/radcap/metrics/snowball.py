"""The Snowball stemmer for English (Porter2), as the evaluators of 2017 to 2021 ran it.

Invariant: the stem of a word is the one NLTK gives (3.2.2 to 3.10), quirks included. The regions R1 and R2
are kept as strings beside the word, because NLTK edits them one by one and they can drift from the word.
Snowball itself has since changed its rules, so a newer stemmer would change published scores.
>>> [stem(word) for word in ("showing", "effusions", "pleural", "masses")]
['show', 'effus', 'pleural', 'mass']
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

__all__ = ["stem"]

_VOWELS = "aeiouy"
_DOUBLE = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_APOSTROPHES = str.maketrans("\u2018\u2019\u201b", "'''")
_VALID_LI = "cdeghkmnrt"
_SHORTEST = 3  # words of two letters are left alone

_INVARIANT = ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")
_ING_NOUNS = ("inning", "outing", "canning", "herring", "earring")
_CEED_VERBS = ("proceed", "exceed", "succeed")
_EXCEPTIONS = {
    **{"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie"},
    **{"idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl"},
    **{word: word for word in _INVARIANT},
    **{noun + ending: noun for noun in _ING_NOUNS for ending in ("", "s")},
    **{verb + ending: verb for verb in _CEED_VERBS for ending in ("", "s", "ed", "ing")},
}
_FIXED_R1 = re.compile("gener|commun|arsen")  # R1 begins right behind these

# Suffix -> how many letters go, what comes instead, and what R2 becomes where it is shorter than the suffix.
_Change: TypeAlias = tuple[int, str, str]


def _swap(new: str, *suffixes: str, short: str = "") -> dict[str, _Change]:
    return {suffix: (len(suffix), new, short) for suffix in suffixes}


def _drop(letters: int, *suffixes: str) -> dict[str, _Change]:
    return dict.fromkeys(suffixes, (letters, "", ""))


def _last(new: str, *suffixes: str) -> dict[str, _Change]:
    return dict.fromkeys(suffixes, (1, new, ""))


_STEP2 = {
    **_swap("ize", "ization", "izer"),
    **_swap("ate", "ational", "ation", "ator", short="e"),
    **_swap("al", "alism", "aliti", "alli"),
    **_swap("ous", "ousness", "ousli"),
    **_swap("ive", "iveness", "iviti", short="e"),
    **_swap("ble", "biliti", "bli"),
    **_last("e", "enci", "anci", "abli"),
    **_drop(4, "fulness"),
    **_drop(2, "tional", "entli", "fulli", "lessli", "li"),
    **_drop(1, "ogi"),
}
_STEP3 = {
    **_swap("ate", "ational"),
    **_swap("ic", "icate", "iciti", "ical"),
    **_swap("", "ness", "ful", "ative"),
    **_drop(3, "alize"),
    **_drop(2, "tional"),
}
_STEP4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive"),
    *("ize", "ion", "al", "er", "ic"),
)
_STEP1A = ("sses", "ied", "ies", "us", "ss", "s")
_STEP1B = ("eedly", "ingly", "edly", "eed", "ing", "ed")


def _longest_first(suffixes: dict[str, _Change]) -> tuple[str, ...]:
    return tuple(sorted(suffixes, key=len, reverse=True))


_STEP2_SUFFIXES, _STEP3_SUFFIXES = _longest_first(_STEP2), _longest_first(_STEP3)
_REGION = re.compile(r"[aeiouy][^aeiouy]")  # a region starts behind the first vowel and consonant


@lru_cache(1 << 18)
def stem(word: str) -> str:
    """The stem of one word."""
    word = word.lower()
    if len(word) < _SHORTEST:
        return word
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    working = _Word(_mark_consonant_y(word.translate(_APOSTROPHES).removeprefix("'")))
    for step in (_step0, _step1a, _step1b, _step1c, _step2, _step3, _step4, _step5):
        step(working)
    return working.text.replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    """A 'y' at the start or behind a vowel is a consonant, written 'Y'."""
    if "y" not in word:
        return word
    letters = list(word)
    for place, letter in enumerate(letters):
        if letter == "y" and (place == 0 or letters[place - 1] in _VOWELS):
            letters[place] = "Y"
    return "".join(letters)


class _Word:
    """A word under way, with its two regions."""

    __slots__ = ("r1", "r2", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        fixed = _FIXED_R1.match(text)
        self.r1 = _behind(text) if fixed is None else text[fixed.end() :]
        self.r2 = _behind(self.r1)

    def ends_with(self, suffixes: tuple[str, ...]) -> str | None:
        if not self.text.endswith(suffixes):  # most words end with none of them
            return None
        return next(one for one in suffixes if self.text.endswith(one))

    def cut(self, letters: int) -> None:
        self.text, self.r1, self.r2 = self.text[:-letters], self.r1[:-letters], self.r2[:-letters]

    def change(self, letters: int, new: str, short: str = "") -> None:
        """The last letters become new ones; a region that is too short for that is emptied."""
        self.text = self.text[:-letters] + new
        self.r1 = self.r1[:-letters] + new if len(self.r1) >= letters else ""
        self.r2 = self.r2[:-letters] + new if len(self.r2) >= letters else short


def _behind(text: str) -> str:
    found = _REGION.search(text)
    return "" if found is None else text[found.end() :]


def _has_vowel(text: str) -> bool:
    return any(letter in _VOWELS for letter in text)


def _step0(word: _Word) -> None:
    if suffix := word.ends_with(("'s'", "'s", "'")):
        word.cut(len(suffix))


def _step1a(word: _Word) -> None:
    suffix = word.ends_with(_STEP1A)
    if suffix == "sses":
        word.cut(2)
    elif suffix in {"ied", "ies"}:
        word.cut(2 if len(word.text) > len("ties") else 1)
    elif suffix == "s" and _has_vowel(word.text[:-2]):
        word.cut(1)


def _step1b(word: _Word) -> None:
    suffix = word.ends_with(_STEP1B)
    if suffix is None:
        return
    if suffix.startswith("eed"):
        if word.r1.endswith(suffix):
            word.change(len(suffix), "ee")
    elif _has_vowel(word.text[: -len(suffix)]):
        word.cut(len(suffix))
        _tidy(word)


def _tidy(word: _Word) -> None:
    """What is left behind 'ed' and 'ing' gets its 'e' back, or loses a doubled letter."""
    if word.text.endswith(("at", "bl", "iz")):
        word.text += "e"
        word.r1 += "e"
        if len(word.text) > len("rates") or len(word.r1) >= len("ate"):
            word.r2 += "e"
    elif word.text.endswith(_DOUBLE):
        word.cut(1)
    elif not word.r1 and _is_short(word.text):
        word.text += "e"
        word.r2 = word.r2 and f"{word.r2}e"


def _is_short(text: str) -> bool:
    """Consonant, vowel, consonant at the end, or vowel and consonant alone."""
    if len(text) == len("at"):
        return text[0] in _VOWELS and text[1] not in _VOWELS
    return (
        len(text) >= len("hop")
        and text[-1] not in f"{_VOWELS}wxY"
        and text[-2] in _VOWELS
        and text[-3] not in _VOWELS
    )


def _step1c(word: _Word) -> None:
    text = word.text
    if len(text) > len("by") and text[-1] in "yY" and text[-2] not in _VOWELS:
        word.change(1, "i")


def _step2(word: _Word) -> None:
    suffix = word.ends_with(_STEP2_SUFFIXES)
    if suffix is None or not word.r1.endswith(suffix):
        return
    before = word.text[: -len(suffix)][-1:]
    if (suffix == "li" and before not in _VALID_LI) or (suffix == "ogi" and before != "l"):
        return
    word.change(*_STEP2[suffix])


def _step3(word: _Word) -> None:
    suffix = word.ends_with(_STEP3_SUFFIXES)
    if suffix is None or not word.r1.endswith(suffix):
        return
    if suffix != "ative" or word.r2.endswith(suffix):
        word.change(*_STEP3[suffix])


def _step4(word: _Word) -> None:
    suffix = word.ends_with(_STEP4)
    if suffix is None or not word.r2.endswith(suffix):
        return
    if suffix != "ion" or word.text[-4] in "st":
        word.cut(len(suffix))


def _step5(word: _Word) -> None:
    text = word.text
    double_l = word.r2.endswith("l") and text[-2:-1] == "l"
    if double_l or word.r2.endswith("e") or (word.r1.endswith("e") and _e_goes(text)):
        word.text = text[:-1]


def _e_goes(text: str) -> bool:
    """Unless a short syllable stands before it."""
    return len(text) >= len("able") and (
        text[-2] in f"{_VOWELS}wxY" or text[-3] not in _VOWELS or text[-4] in _VOWELS
    )
