"""From captions to the texts that are learnt.

Invariant: every caption that is not learnt, and every one that is cut, is counted under one reason and the
first few are named; the others are there, cleaned, at their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from radcap.captioning.texts.cleaning import cleaned
from radcap.captioning.texts.cutting import cut_to_words
from radcap.captioning.texts.languages import is_english
from radcap.core.counts import counted
from radcap.datasets.records import Caption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.settings import CaptionDataSettings

__all__ = ["Finding", "Reason", "Sieve", "Texts", "learnable_captions"]

_NAMED = 3
_ENGLISH = frozenset({"en", "eng", "english"})


class Reason(StrEnum):
    """Why a caption is not learnt, or not all of it, as it is told after the numbers."""

    MISSING = "left out: there is none, or none of the source that is asked for"
    EMPTY = "left out: nothing is written in it"
    WORDLESS = "left out: it has no letters"
    LANGUAGE = "left out: it is in another language than English"
    SHORT = "left out: it has fewer words than are wanted"
    LONG = "left out: it has more words than are wanted"
    CUT = "cut: it has too many words"


@dataclass(frozen=True, slots=True)
class Finding:
    """How many captions a reason holds for, and what the first are called."""

    reason: Reason
    count: int
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Texts:
    """What is learnt of `total` captions: texts by their place among them."""

    kept: Mapping[int, str]
    total: int
    findings: tuple[Finding, ...] = ()

    def told(self) -> list[str]:
        """A sentence for each reason."""
        return [self._sentence(finding) for finding in self.findings]

    def _sentence(self, finding: Finding) -> str:
        names = ", ".join(finding.first) + (" ..." if finding.count > len(finding.first) else "")
        return f"{finding.count:,} of {counted(self.total, 'caption')} {finding.reason.value} ({names})."


@dataclass(slots=True)
class Sieve:
    """Takes captions one by one, for whoever cannot hold them all."""

    settings: CaptionDataSettings
    kept: dict[int, str] = field(default_factory=dict[int, str])
    total: int = 0
    found: dict[Reason, list[str]] = field(default_factory=dict[Reason, list[str]])
    counts: dict[Reason, int] = field(default_factory=dict[Reason, int])

    def take(self, caption: Caption | str | None, called: str) -> None:
        """The next caption, under the name that a finding gives it."""
        place, self.total = self.total, self.total + 1
        given = Caption(caption) if isinstance(caption, str) else caption
        text = cleaned(given.text) if given else ""
        reason = self._refused(given, text)
        if reason is None:
            self.kept[place] = cut_to_words(text, self.settings.words)
            reason = Reason.CUT if self.kept[place] != text else None
        if reason is not None:
            self.counts[reason] = self.counts.get(reason, 0) + 1
            names = self.found.setdefault(reason, [])
            names.extend([called] if len(names) < _NAMED else [])

    def texts(self) -> Texts:
        """What was taken so far."""
        findings = (
            Finding(reason, self.counts[reason], tuple(self.found[reason]))
            for reason in Reason
            if reason in self.found
        )
        return Texts(MappingProxyType(self.kept), self.total, tuple(findings))

    def _refused(self, caption: Caption | None, text: str) -> Reason | None:
        if caption is None:
            return Reason.MISSING
        if not text:
            return Reason.EMPTY
        if not any(map(str.isalpha, text)):
            return Reason.WORDLESS
        if self.settings.english and not _is_english(caption.language, text):
            return Reason.LANGUAGE
        return self._unfit(text.count(" ") + 1)

    def _unfit(self, words: int) -> Reason | None:
        """Of a caption with so many words."""
        if words < self.settings.least:
            return Reason.SHORT
        return Reason.LONG if 0 < self.settings.most < words else None


def learnable_captions(
    captions: Sequence[Caption | str | None], settings: CaptionDataSettings, ids: Sequence[str] = ()
) -> Texts:
    """The texts to learn. Findings name captions by `ids`, or else by their numbers from 1 on."""
    sieve = Sieve(settings)
    names = ids or [str(number) for number in range(1, len(captions) + 1)]
    for caption, called in zip(captions, names, strict=True):
        sieve.take(caption, called)
    return sieve.texts()


def _is_english(language: str, text: str) -> bool:
    """What the dataset says of the caption, or else what its words say."""
    said = language.strip().lower().replace("_", "-").partition("-")[0]
    return said in _ENGLISH if said else is_english(text)
