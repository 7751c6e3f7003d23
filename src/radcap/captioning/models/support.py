"""Which concepts of an image are supported, and what may be said of it.

Invariant: a finding is supported where the detector's calibrated probability reaches the threshold, a
modality where it is the detector's own first choice. Where no draft keeps to that, the plain sentence of the
grammar says the modality, the direction, the region and the findings that are supported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.captioning.generation import Support
from radcap.captioning.grammar import Role, facts_of, role_of, sentence
from radcap.captioning.naming import claims
from radcap.core import MODALITIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.captioning.generation import Control
    from radcap.captioning.tokens import Tokenizer
    from radcap.core import Cui
    from radcap.detection.models.answers import Answers

__all__ = ["Grounds", "Judge", "grounds_of"]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What is known of one image: concepts that are decided for, and those that a caption may claim."""

    decided: tuple[Cui, ...]  # the most probable first
    supported: Mapping[Cui, float]  # findings, and one modality

    def plain(self, names: Mapping[Cui, str]) -> str:
        """What can be said without a writer, or nothing."""
        said = [
            cui
            for cui in dict.fromkeys([*self.supported, *self.decided])
            if cui in self.supported or role_of(cui, names.get(cui, "")) in (Role.REGION, Role.DIRECTION)
        ]
        return sentence(facts_of(said, names)) if said else ""


@dataclass(frozen=True, eq=False)
class Judge:
    """Holds captions against a detector's probabilities."""

    support: Support
    threshold: float
    names: Mapping[Cui, str]

    @classmethod
    def of(
        cls,
        tokenizer: Tokenizer,
        phrases: Mapping[Cui, Sequence[str]],
        threshold: float,
        names: Mapping[Cui, str],
    ) -> Judge:
        return cls(Support(tokenizer, phrases), threshold, names)

    def control(self, grounds: Sequence[Grounds]) -> Control:
        """What keeps a batch from naming findings that are not supported."""
        return self.support.ban([one.supported.keys() for one in grounds])

    def refused(self, text: str, grounds: Grounds) -> tuple[Cui, ...]:
        """What a caption claims without support."""
        return tuple(sorted(claims(text) - grounds.supported.keys()))


def grounds_of(answers: Answers, names: Mapping[Cui, str], threshold: float) -> list[Grounds]:
    """What a detector's answers allow to be said of each image."""
    roles = [role_of(cui, names.get(cui, "")) for cui in answers.labels]
    findings = np.array([role is Role.FINDING for role in roles], np.bool_)
    modalities = np.array([cui in MODALITIES for cui in answers.labels], np.bool_)
    p = answers.decided.astype(np.float32) if answers.probabilities is None else answers.probabilities
    found: list[Grounds] = []
    for row, decided in enumerate(answers.concepts()):
        held = {answers.labels[place]: float(p[row, place]) for place in _first(p[row], modalities)}
        for place in np.flatnonzero(findings & (p[row] >= threshold)).tolist():
            held[answers.labels[place]] = float(p[row, place])
        ordered = sorted(held.items(), key=lambda one: (one[0] not in MODALITIES, -one[1]))
        found.append(Grounds(tuple(decided), dict(ordered)))
    return found


def _first(p: np.ndarray, among: np.ndarray) -> list[int]:
    """The most probable of some labels, as a list of one; none where there are none."""
    return [int(np.where(among, p, -1.0).argmax())] if among.any() else []
