"""What a caption names: findings by the free vocabulary, modalities by their words.

Invariant: a finding that is negated is not named. 'CT angiogram' names CT, as the labels of the challenge do.
>>> sorted(modalities_named("Axial CT angiogram of the chest."))
['C0040405']
>>> sorted(findings_named("Chest radiograph with pneumothorax, no pleural effusion."))
['C0032326']
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from radcap.captioning.grammar import Role, role_of
from radcap.vocabulary import link

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from radcap.core import Cui

__all__ = ["claims", "finding_phrases", "findings_named", "modalities_named"]

_CT, _MRI, _XRAY, _ULTRASOUND, _ANGIOGRAPHY = "C0040405", "C0024485", "C1306645", "C0041618", "C0002978"
_PET_CT = "C1699633"
_WORDS: Mapping[Cui, str] = {
    _CT: r"cts?|cta|ctpa|hrct|mdct|cbct|cect|ncct|comput\w* tomogra\w*|cat scans?",
    # T1 is a vertebra too, and Mr a man
    _MRI: r"f?mris?|(?-i:MR|mr)|mra|mrv|mrcp|magnetic resonance|flair|dwi|adc|(?-i:STIR)|\w+[ -]weighted"
    r"|(?<!-)t[12]w?i?(?!-| (?:vertebra|level|rib|stage))",
    _XRAY: r"radiogra\w*|x[- ]?rays?|cxr|roentgeno\w*|plain films?|mammogra\w*|barium|fluoroscop\w*"
    r"|upper gi|small bowel series",
    _ULTRASOUND: r"ultraso\w*|sonogra\w*|doppler|echocardiogra\w*|(?-i:US)",
    _ANGIOGRAPHY: r"(?:angio|veno|arterio|aorto)gra\w*|dsa",
    "C0032743": r"pet|positron emission\w*",
    "C0034606": r"scintigra\w*|nuclear medicine|bone scan|spect",
    "C0920367": r"oct|optical coherence tomogra\w*",
}
_PATTERNS = {cui: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for cui, words in _WORDS.items()}
_BOTH = re.compile(r"(?<!\w)pet ?[/+-]? ?ct(?!\w)", re.IGNORECASE)  # one modality, and not two
_TUBELESS = {_CT, _MRI}  # whose angiograms are no angiography of the labels


def modalities_named(text: str) -> set[Cui]:
    """The modalities that a text speaks of."""
    rest, both = _BOTH.subn(" ", text)
    named = {cui for cui, pattern in _PATTERNS.items() if pattern.search(rest)}
    named |= {_PET_CT} if both else set()
    return named - {_ANGIOGRAPHY} if named & _TUBELESS else named


@lru_cache(maxsize=65_536)
def _findings(text: str) -> frozenset[tuple[str, Cui]]:
    """The words of each finding, and what they name."""
    return frozenset(
        (one.text, one.cui)
        for one in link(text)
        if not one.negated and role_of(one.cui, one.name) is Role.FINDING
    )


def findings_named(text: str) -> set[Cui]:
    """The findings that a text says are there."""
    return {cui for _, cui in _findings(text)}


def claims(text: str) -> set[Cui]:
    """What must be supported: findings and modalities."""
    return findings_named(text) | modalities_named(text)


def finding_phrases(captions: Iterable[str]) -> dict[Cui, tuple[str, ...]]:
    """The words by which captions name findings, to know them while one is being written."""
    found: dict[Cui, set[str]] = {}
    for caption in captions:
        for words, cui in _findings(caption):
            found.setdefault(cui, set()).add(words)
    return {cui: tuple(sorted(words)) for cui, words in sorted(found.items())}
