"""Which statements are explained, as a person asks for them.

    all        every concept, every word, every span of words that names a concept, every neighbour
    concepts   every concept that was decided for       words       every word of the caption
    spans      the words that name concepts             neighbours  the training images that answered
    C0032285   one concept, decided for or not          pneumonia   a word of the caption, or a concept's name
    C1:C2      why the one and not the other, of concepts or words

Invariant: what fits no image of a run is refused with the nearest name; what fits only some is noted there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.core import UsageError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from radcap.core import Cui

__all__ = ["GROUPS", "Wanted", "wanted_from"]

GROUPS = ("all", "concepts", "words", "spans", "neighbours")
_CUI = re.compile(r"C\d{7}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Groups of statements, single concepts and words, and contrasts."""

    groups: frozenset[str] = frozenset({"all"})
    names: tuple[str, ...] = ()
    contrasts: tuple[tuple[str, str], ...] = ()

    def group(self, name: str) -> bool:
        return "all" in self.groups or name in self.groups

    def cuis(self, names: Mapping[Cui, str]) -> list[Cui]:
        """The single concepts among the labels of a model."""
        found = [concept_named(one, names) for one in self.names]
        return [one for one in found if one]

    def words(self, names: Mapping[Cui, str]) -> list[str]:
        """What is no concept of the model is taken for a word."""
        return [one for one in self.names if not concept_named(one, names)]


def wanted_from(texts: Sequence[str]) -> Wanted:
    """What was asked for; several may stand in one text, with commas between."""
    parts = [one.strip() for text in texts for one in text.split(",") if one.strip()]
    groups = frozenset(one for one in parts if one in GROUPS)
    pairs = [one for one in parts if ":" in one]
    wrong = [one for one in pairs if one.count(":") != 1 or not all(map(str.strip, one.split(":")))]
    if wrong:
        raise UsageError(f"The target {wrong[0]!r} is no contrast. Write THIS:OTHER, like C0032285:C0032227.")
    named = tuple(one for one in parts if one not in groups and one not in pairs)
    contrasts = tuple((one.split(":")[0].strip(), one.split(":")[1].strip()) for one in pairs)
    if not parts:
        groups = frozenset({"all"})
    return Wanted(groups, named, contrasts)


def concept_named(text: str, names: Mapping[Cui, str]) -> Cui:
    """The label that a text names, by CUI or by its whole name; nothing where there is none."""
    if text.upper() in names:
        return text.upper()
    if _CUI.fullmatch(text):
        raise _unknown(text, names)
    return next((cui for cui, name in names.items() if name.casefold() == text.casefold()), "")


def unknown_target(text: str, names: Mapping[Cui, str], words: Iterable[str]) -> UsageError:
    """The refusal of a word that is neither a concept nor said anywhere."""
    known = dict.fromkeys([*words, *(name for name in names.values() if name)])
    return unknown_name("concept or word of a caption", text, known)


def _unknown(text: str, names: Mapping[Cui, str]) -> UsageError:
    return unknown_name("concept of this model", text, names)
