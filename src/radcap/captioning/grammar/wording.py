"""The words that sentences are made of, from words.toml beside this file.

Invariant: the file is read once; what it does not hold is said in the words it came with.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Articles", "Region", "Words", "words"]


@dataclass(frozen=True, slots=True)
class Region:
    """How a region stands before its image, and whether that is the plainer or the only way."""

    before: str = ""
    first: bool = False
    only: bool = False
    vessels: str = ""  # the word before an angiogram


@dataclass(frozen=True, slots=True)
class Articles:
    """Which nouns need an article, and which words sound otherwise than they are written."""

    counted: frozenset[str]
    counted_endings: tuple[str, ...]
    uncounted_endings: tuple[str, ...]
    bare: frozenset[str]
    after: frozenset[str]
    consonant_sound: tuple[str, ...]
    vowel_sound: tuple[str, ...]
    spoken: frozenset[str]


@dataclass(frozen=True, slots=True)
class Words:
    """All of the file."""

    modalities: Mapping[str, tuple[str, ...]]
    contrast: Mapping[str, tuple[str, ...]]
    regions: Mapping[str, Region]
    together: Mapping[str, Mapping[str, str]]
    articles: Articles
    case: Mapping[str, str]  # a word in lower case, and how it is written


@cache
def words() -> Words:
    """The words of sentences."""
    text = files("radcap.captioning.grammar").joinpath("words.toml").read_text("utf-8")
    said: dict[str, Any] = tomllib.loads(text)
    return Words(
        {name: tuple(nouns) for name, nouns in said["modalities"].items()},
        {name: tuple(forms) for name, forms in said["contrast"].items()},
        {name: Region(**forms) for name, forms in said["regions"].items()},
        said["together"],
        _articles(said["articles"]),
        {word.lower(): word for word in said["case"]["words"]},
    )


def _articles(said: Mapping[str, list[str]]) -> Articles:
    return Articles(
        frozenset(said["counted"]),
        tuple(said["counted_endings"]),
        tuple(said["uncounted_endings"]),
        frozenset(said["bare"]),
        frozenset(said["after"]),
        tuple(said["consonant_sound"]),
        tuple(said["vowel_sound"]),
        frozenset(said["spoken"]),
    )
