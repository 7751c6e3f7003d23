"""How an edition prepares captions before it compares them.

Invariant: a prepared caption is text again; where an edition works on tokens they are parted by blanks.
`P17` stems, `P22` lemmatises, `P22c` is P22 without lemmas, `P23` spells numbers `number`, `RAW` is as it is.
>>> prepare(["CT scan of the abdomen, showing a 3.5-cm mass (arrow)."], Preparation.P17)
['ct scan abdomen show 35cm mass arrow']
>>> prepare(["3.5 cm, T2-weighted"], Preparation.P23)
['numbernumber cm tnumberweighted']
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

from radcap.core import UsageError, unknown_name
from radcap.metrics.snowball import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Lemmatiser", "Preparation", "prepare"]

Lemmatiser: TypeAlias = Callable[[list[list[str]]], list[list[str]]]  # token lists in, lemmas out

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)  # ASCII only, as all evaluators have it
_DIGITS = re.compile(r"\d+")  # decimal digits of any script, no superscripts
# What is left of the Treebank rules once ASCII punctuation is gone: a few words that are two. NLTK ignores
# case, which finds a dotless i as well.
_TWO_WORDS = re.compile(
    r"\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon)(na)\b|\b(got)(ta)\b|\b(wan)(na)$", re.IGNORECASE
)


class Preparation(StrEnum):
    """The preparations of ten years, by the names the documentation uses."""

    P17 = "P17"
    P22 = "P22"
    P22C = "P22c"
    P23 = "P23"
    RAW = "RAW"

    @classmethod
    def _missing_(cls, value: object) -> Preparation:
        raise unknown_name("preparation", str(value), cls)


def prepare(
    captions: Iterable[str], how: Preparation | str, lemmatiser: Callable[[], Lemmatiser] | None = None
) -> list[str]:
    """The captions as the edition's metrics see them. Only P22 asks for a lemmatiser."""
    how = Preparation(how)
    if how is Preparation.RAW:
        return list(captions)
    if how is Preparation.P23:
        return [_numbers_as_word(caption) for caption in captions]
    words = _Words(_stems if how is Preparation.P17 else _content_words).__getitem__
    prepared = [" ".join(filter(None, map(words, caption.split()))) for caption in captions]
    if how is Preparation.P22:
        return _lemmas(prepared, _asked(lemmatiser)())
    return prepared


def _asked(lemmatiser: Callable[[], Lemmatiser] | None) -> Callable[[], Lemmatiser]:
    if lemmatiser is None:
        raise UsageError(
            "No lemmatiser was given. P22 without one is P22c. Give a lemmatiser, or choose P22c."
        )
    return lemmatiser


def _lemmas(captions: Sequence[str], lemmatise: Lemmatiser) -> list[str]:
    return [" ".join(words) for words in lemmatise([caption.split() for caption in captions])]


def _numbers_as_word(caption: str) -> str:
    return _DIGITS.sub("number", caption.lower()).translate(_NO_PUNCTUATION)


@cache
def _stop_words() -> frozenset[str]:
    words = files("radcap").joinpath("data", "words", "stopwords_english.txt")
    return frozenset(words.read_text("utf-8").split())


class _Words(dict[str, str]):
    """What is left of each blank-parted chunk of the captions, worked out when it is first met."""

    def __init__(self, work: Callable[[str], str]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, chunk: str) -> str:
        self[chunk] = words = self._work(chunk)
        return words


def _content_words(chunk: str) -> str:
    """The tokens of a blank-parted chunk that are no stop words: none, one, or a few."""
    tokens = _TWO_WORDS.sub(_with_blanks, chunk.lower().translate(_NO_PUNCTUATION)).split()
    return " ".join(token for token in tokens if token not in _stop_words())


def _with_blanks(found: re.Match[str]) -> str:
    """Blanks around both words too: a dash or a curly quote beside them becomes a token of its own."""
    first, second = filter(None, found.groups())
    return f" {first} {second} "


def _stems(chunk: str) -> str:
    return " ".join(filter(None, map(stem, _content_words(chunk).split())))
