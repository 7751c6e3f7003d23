"""The rule by which the study chooses the method of each family of networks.

Invariant: a method is out when it fails a check on either model of the family, and a figure of fewer than
`LEAST` images counts for nothing; what is left is ranked by a mean of figures that are better when higher.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explanations.keeping import GAIN, Measured
from radcap.explanation.faithfulness.intervals import mean_of

if TYPE_CHECKING:
    from explanations.keeping import Study
    from radcap.explanation.faithfulness.intervals import Mean

__all__ = ["LEAST", "REFERENCES", "UNLEARNT", "Candidate", "candidates", "less", "models_of", "score"]

LEAST = 5  # images
REFERENCES = ("noise", "edges", "perfect boxes")  # maps of no model
UNLEARNT = ("phantom-vit",)  # no better than its twin: there is nothing to explain


@dataclass(frozen=True, slots=True)
class Candidate:
    """A method with its score on each model of the family, None where too few images were measured."""

    method: str
    scores: tuple[float | None, ...]

    @property
    def mean(self) -> float | None:
        known = [one for one in self.scores if one is not None]
        return float(np.mean(known)) if len(known) == len(self.scores) else None


def models_of(family: str) -> tuple[str, ...]:
    """The models that count for a family."""
    return tuple(one for one in (f"phantom-{family}", f"real-{family}") if one not in UNLEARNT)


def candidates(study: Study, family: str) -> list[Candidate]:
    """Those that pass, best first; those without a full score last."""
    models = models_of(family)
    names = dict.fromkeys(one.method for model in models for one in study.of(model))
    found = [
        Candidate(name, tuple(score(study.one(model, name)) for model in models))
        for name in names
        if name not in REFERENCES and not _failed(study, family, name)
    ]
    return sorted(found, key=lambda one: (one.mean is None, -(one.mean or 0.0), one.method))


def _failed(study: Study, family: str, method: str) -> bool:
    both = [study.one(model, method) for model in models_of(family)]
    return any(one is not None and one.fails for one in both)


def score(one: Measured | None) -> float | None:
    """The mean of ROAD and of insertion less deletion."""
    if one is None:
        return None
    means = [one.means.get(name) for name in ("road", GAIN)]
    known = [mean.value for mean in means if mean is not None and mean.images >= LEAST]
    return float(np.mean(known)) if len(known) == len(means) else None


def less(one: Measured | None, other: Measured | None) -> Mean | None:
    """Insertion less deletion of one above that of the other, over the statements that both were tried on."""
    if one is None or other is None:
        return None
    ours, theirs = _gains(one), _gains(other)
    shared = [place for place in ours if place in theirs]
    return mean_of([ours[place] - theirs[place] for place in shared], [image for image, _ in shared])


def _gains(one: Measured) -> dict[tuple[str, str], float]:
    """By image and statement."""
    places = zip(one.columns["image"], one.columns["label"], strict=True)
    return {place: gain for place, gain in zip(places, one.values(GAIN), strict=True) if gain is not None}
