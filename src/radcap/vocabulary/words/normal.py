"""The normal form of a word, equal for all spellings that should meet.

Invariant: a normal form is a key and never shown; what holds a digit is only folded, so that T2, L5 and 12
stay what they are.
>>> [normal(word) for word in ("Oedema", "Metastases", "Sjögren's", "CTs", "T2s")]
['edema', 'metastasis', 'sjogren', 'ct', 't2s']
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from radcap.vocabulary.words.tables import read_pairs

__all__ = ["ARTICLES", "cased", "normal"]

# Not A and AN: vitamin A keeps its name, and AN may be an abbreviation.
ARTICLES = frozenset({"a", "an", "An", "the", "The", "THE"})

_OWNED = re.compile(r"(?<=.)['\u2019\u02bc][sS]$")
_SEVERAL = re.compile(r"[A-Z]{2,}s")  # CTs, MRIs
_DIGIT = re.compile(r"\d")
_LETTERS = str.maketrans(
    {"Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Ø": "O", "ø": "o", "Ł": "L", "ł": "l", "Đ": "D", "đ": "d"}
)
# Combining classes: a stroke through the letter, the points of Hebrew and Arabic, and from here on accents.
_STROKE, _POINTS, _ACCENTS = 1, range(10, 37), 200
_SHORTEST = 4  # letters of a plural
# What the end of a plural becomes, the first that fits; single words stand in `plurals.csv`.
_ENDINGS = (
    ("thoraces", "thorax"),
    ("salpinges", "salpinx"),
    ("ectases", "ectasis"),
    ("stases", "stasis"),
    ("itides", "itis"),
    ("cocci", "coccus"),
    ("mata", "ma"),  # stigmata
    ("ae", "a"),  # vertebrae
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("ies", "y"),
    ("poses", "pose"),
    ("oses", "osis"),  # stenoses
    ("yses", "ysis"),  # analyses
    ("eses", "esis"),  # prostheses
    ("auses", "ause"),
    ("ouses", "ouse"),
    ("uses", "us"),  # viruses
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("s", ""),
)

_LAST = tuple(ending for ending, _ in _ENDINGS)


@lru_cache(1 << 16)
def normal(word: str) -> str:
    """The form under which a word is looked up."""
    folded = cased(word).casefold()
    if _DIGIT.search(folded):
        return folded
    return _singular(_american(folded))


def cased(word: str) -> str:
    """The word in its own case, without accents and without the s of an owner or of several abbreviations."""
    one = word if word.isascii() else _plain(word)
    return one[:-1] if _SEVERAL.fullmatch(one) else _OWNED.sub("", one)


def _plain(word: str) -> str:
    """Letters without accents, ligatures and marks."""
    parts = unicodedata.normalize("NFKD", word).translate(_LETTERS)
    return "".join(sign for sign in parts if not _is_left_out(sign))


def _is_left_out(sign: str) -> bool:
    """Accents, points and signs without width, but not the vowel signs that are letters of their script."""
    place = unicodedata.combining(sign)
    if place == _STROKE or place in _POINTS or place >= _ACCENTS:
        return True
    return unicodedata.category(sign) in {"Cf", "Me"}


@cache
def _british() -> tuple[re.Pattern[str], dict[str, str]]:
    pairs = read_pairs("spelling.csv")
    return re.compile("|".join(sorted(pairs, key=len, reverse=True))), pairs


def _american(word: str) -> str:
    pattern, pairs = _british()
    return pattern.sub(lambda match: pairs[match[0]], word)


@cache
def _plurals() -> dict[str, str]:
    return read_pairs("plurals.csv")


def _singular(word: str) -> str:
    if word in _plurals():
        return _plurals()[word]
    if len(word) < _SHORTEST or not word.endswith(_LAST):
        return word
    ending, single = next(pair for pair in _ENDINGS if word.endswith(pair[0]))
    return word[: -len(ending)] + single
