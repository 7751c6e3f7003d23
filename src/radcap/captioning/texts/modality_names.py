"""The name of a modality that most captions use, in place of others for the same.

Invariant: the table is a file beside this one. A second time changes nothing, and no text gets more words.
>>> one_name("Computed tomography (CT) of the chest and a magnetic resonance image")
'CT of the chest and an MRI'
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from radcap.captioning.grammar.articles import article

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["modality_names", "one_name"]


@cache
def modality_names() -> Mapping[str, tuple[str, ...]]:
    """The table: a name, and the others that it stands for."""
    text = files("radcap.captioning.texts").joinpath("modalities.toml").read_text("utf-8")
    return {name: tuple(others) for name, others in tomllib.loads(text)["names"].items()}


def one_name(text: str) -> str:
    """The text with one name for each modality; blanks part its words."""
    before = None
    while text != before:  # a name may stand before what makes another of it: 'MR imaging scan'
        before = text
        for name, pattern in _patterns():
            text = pattern.sub(lambda found, name=name: _named(found, name), text)
    return text


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, _pattern(name, others)) for name, others in modality_names().items())


def _pattern(name: str, others: Iterable[str]) -> re.Pattern[str]:
    """Another name with its article, or any before one in brackets: 'computed tomography (CT)'."""
    other, any_of = _one_of(others), _one_of([name, *others])
    said = rf"(?P<said>{any_of} \({any_of}\)|{other})"
    return re.compile(rf"(?<![\w-])(?:(?P<article>an?) )?{said}(?![\w-])", re.IGNORECASE)


def _one_of(names: Iterable[str]) -> str:
    longest_first = sorted(names, key=lambda one: (-len(one), one))
    return f"(?:{'|'.join(re.escape(one) for one in longest_first)})"


def _named(found: re.Match[str], name: str) -> str:
    """The name, with a capital where a sentence began, and after the article that it asks for."""
    said = name[0].upper() + name[1:] if found["said"][:2].istitle() else name
    if found["article"] is None:
        return said
    own = article(name)
    return f"{own.capitalize() if found['article'][0].isupper() else own} {said}"
