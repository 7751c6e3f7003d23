"""What no caption should say: a word twice, the image by two names, a wrong article, or contrast twice, both
ways or of a kind the image has not.

>>> sorted(oddities("PA chest X-ray showing COVID-19 PA chest pneumonia."))
['chest', 'pa']
>>> sorted(oddities("Radiograph of the X-ray of the chest."))
['radiograph', 'x-ray']
>>> sorted(oddities("Angiogram showing a aneurysm."))
['a aneurysm']
>>> sorted(oddities("Axial non-contrast CT of the head with intravenous contrast."))
['contrast', 'non-contrast']
>>> oddities("CT of the face, sinuses and neck, without contrast.")
set()
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from radcap.captioning.grammar import words_of
from radcap.captioning.grammar.articles import article

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["oddities"]

_SMALL = frozenset(("a", "an", "and", "at", "from", "in", "of", "on", "or", "the", "to", "with", "without"))
# Names of the same image: one is enough.
_IMAGES = (
    frozenset(("mri", "mr")),
    frozenset(("mri", "image")),
    frozenset(("angiogram", "image")),
    frozenset(("x-ray", "radiograph", "mammogram", "image")),
)
_ARTICLES = ("a", "an")
_CONTRAST = ("contrast", "gadolinium")
# Contrast that an image is not made with.
_NEVER = (
    (
        frozenset(("x-ray", "radiograph", "mammogram", "ultrasound")),
        ("intravenous", "gadolinium", "contrast"),
    ),
    (frozenset(("mri", "mr")), ("gastrointestinal", "oral")),
    (frozenset(("ct",)), ("gadolinium",)),
)


def oddities(text: str) -> set[str]:
    """The words that should not be there together, in small letters."""
    words = words_of(text)
    said = [word.lower() for word in words]
    return _twice(said) | _two_names(said) | _contrasts(said) | _articles(words)


def _twice(said: Sequence[str]) -> set[str]:
    return {word for word, times in Counter(said).items() if times > 1 and word not in _SMALL}


def _two_names(said: Sequence[str]) -> set[str]:
    found = [names & set(said) for names in _IMAGES]
    return {word for names in found if len(names) > 1 for word in names}


def _contrasts(said: Sequence[str]) -> set[str]:
    contrast = {word for word in said if any(one in word for one in _CONTRAST)}
    wrong = contrast if len(contrast) > 1 else set[str]()
    media = [media for images, media in _NEVER if contrast and images & set(said)]
    return wrong | {word for word in said for some in media if any(one in word for one in some)}


def _articles(words: Sequence[str]) -> set[str]:
    pairs = [(one.lower(), after) for one, after in pairwise(words)]
    return {f"{one} {after}".lower() for one, after in pairs if one in _ARTICLES and one != article(after)}
