"""Which concepts of an image are supported, and what may be said of it.

Invariant: a finding is supported where the detector decides for it and its calibrated probability reaches the
threshold, or where it is what two such findings are called together; a modality where it is the detector's
own first choice. A caption is made of words that describe a picture, and
of those of its supported findings; so nothing is named that the vocabulary does not know either. Where no
draft keeps to that, the plain sentence of the grammar says the modality, the direction, the region and the
findings that are supported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.captioning.generation import Lexicon, Support
from radcap.captioning.grammar import (
    LEADING_WORDS,
    Role,
    facts_of,
    joined,
    phrase_of,
    plain_words,
    role_of,
    sentence,
    words_of,
)
from radcap.captioning.naming import claims, findings_named
from radcap.captioning.texts import finished, oddities

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.captioning.generation import Control
    from radcap.captioning.settings import PostSettings
    from radcap.captioning.tokens import Tokenizer
    from radcap.core import Cui
    from radcap.detection.models.answers import Answers

__all__ = ["Grounds", "Judge", "grounds_of"]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What is known of one image: concepts that are decided for, and those that a caption may claim."""

    decided: tuple[Cui, ...]  # the most probable first
    supported: Mapping[Cui, float]  # findings, and one modality

    def plain(self, names: Mapping[Cui, str]) -> Iterator[str]:
        """What can be said without a writer: all of it, then with ever fewer findings."""
        sayable = (Role.REGION, Role.DIRECTION)
        about = [cui for cui in self.decided if role_of(cui, names.get(cui, "")) in sayable]
        known = list(self.supported)
        ever_fewer = [[*known[:last], *about] for last in range(len(known), 0, -1)]
        for said in (*ever_fewer, known[:1], about):
            if said:
                yield sentence(facts_of(said, names))


@dataclass(frozen=True, eq=False)
class Judge:
    """Holds captions against a detector's probabilities."""

    support: Support
    lexicon: Lexicon
    phrases: Mapping[Cui, Sequence[str]]
    post: PostSettings
    names: Mapping[Cui, str]

    @classmethod
    def of(
        cls,
        tokenizer: Tokenizer,
        phrases: Mapping[Cui, Sequence[str]],
        post: PostSettings,
        names: Mapping[Cui, str],
    ) -> Judge:
        return cls(Support(tokenizer, phrases), Lexicon(tokenizer, plain_words()), phrases, post, names)

    def controls(self, grounds: Sequence[Grounds]) -> tuple[Control, ...]:
        """What keeps a batch from naming what is not supported."""
        banned = self.support.ban([one.supported.keys() for one in grounds])
        return banned, self.lexicon.control([self._words(one) for one in grounds])

    def _words(self, grounds: Grounds) -> frozenset[str]:
        """The words of the findings that are supported, and those that lead to them."""
        findings = [cui for cui in grounds.supported if role_of(cui, self.names.get(cui, "")) is Role.FINDING]
        phrases = [one for cui in findings for one in self._phrases(cui)]
        found = frozenset(word for phrase in phrases for word in words_of(phrase))
        return found | LEADING_WORDS if found else found

    def _phrases(self, cui: Cui) -> tuple[str, ...]:
        return (phrase_of(cui, self.names.get(cui, "")), *self.phrases.get(cui, ()))

    def refused(self, text: str, grounds: Grounds) -> tuple[str, ...]:
        """What a caption says without support, as it is written and as it would be handed in: concepts that
        it claims, words that are not its to say, said twice, or that lead to a finding where none follows.

        Words that are cut off can turn its sense: 'pneumothorax was not seen'.
        """
        ended = finished(text, self.post)
        wrong: set[str] = (claims(text) | claims(ended)) - grounds.supported.keys()
        said = [word.lower() for word in words_of(ended)]
        allowed = {word.lower() for word in plain_words() | self._words(grounds)}
        wrong |= {word for word in said if word not in allowed} | oddities(ended)
        if not findings_named(ended):
            wrong |= LEADING_WORDS & set(said)
        return tuple(sorted(wrong))

    def plain(self, grounds: Grounds) -> str:
        """The fullest plain sentence that is supported as a whole; nothing where none is.

        Words of two findings can name a third, and a sentence that is cut short another one.
        """
        said = grounds.plain(self.names)
        return next((one for one in said if not self.refused(one, grounds)), "")


def grounds_of(answers: Answers, names: Mapping[Cui, str], threshold: float) -> list[Grounds]:
    """What a detector's answers allow to be said of each image."""
    roles = [role_of(cui, names.get(cui, "")) for cui in answers.labels]
    findings = np.array([role is Role.FINDING for role in roles], np.bool_)
    modalities = np.array([role is Role.MODALITY for role in roles], np.bool_)
    p = answers.decided.astype(np.float32) if answers.probabilities is None else answers.probabilities
    found: list[Grounds] = []
    for row, decided in enumerate(answers.concepts()):
        held = {answers.labels[place]: float(p[row, place]) for place in _first(p[row], modalities)}
        likely = np.flatnonzero(findings & answers.decided[row] & (p[row] >= threshold))
        ordered = likely[np.argsort(-p[row, likely], kind="stable")].tolist()
        held |= {answers.labels[place]: float(p[row, place]) for place in ordered}
        held |= {both: min(held[one] for one in parts) for both, parts in joined(held, names).items()}
        found.append(Grounds(tuple(decided), held))
    return found


def _first(p: np.ndarray, among: np.ndarray) -> list[int]:
    """The most probable of some labels, as a list of one; none where none is possible."""
    best = int(np.where(among, p, -1.0).argmax())
    return [best] if among[best] and p[best] > 0 else []
