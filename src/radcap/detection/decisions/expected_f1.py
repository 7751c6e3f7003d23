"""The set of labels with the highest expected F1, if labels are independent given the image.

Invariant: exact for the candidates; the labels beyond them count as one Poisson variable and are never
decided. The best set of size k is the k likeliest labels; its expected F1 is the sum over c of
2 c P(c of these k are there) E[1 / (k + c + others)], and the last factor for k - 1 follows from that for k:
one label moves to the others (Ye et al. 2012). Nothing is subtracted, and no label is taken out of a law.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.calibration.arrays import in_row_chunks, numbered
from radcap.detection.decisions.likeliest import likeliest
from radcap.detection.decisions.poisson_binomial import mean_reciprocals
from radcap.detection.decisions.rules import RuleMaker

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats, Numbers
    from radcap.detection.calibration.fields import Fields
    from radcap.detection.decisions.config import Decision
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE", "ExpectedF1", "expected_values"]

_CELLS = 2**20  # a chunk's laws of count, of 60 candidates, then take some 10 MB


def expected_values(probabilities: Floats, beyond: Floats, *, empty_scores: bool) -> Floats:
    """Expected F1 of the k likeliest labels, k = 0 ... m: (rows, m), likeliest first, to (rows, m + 1)."""
    rows, labels = probabilities.shape
    values = np.zeros((labels + 1, rows))
    if empty_scores:
        values[0] = np.prod(1 - probabilities, axis=1) * np.exp(-beyond)
    laws = _weighted_laws(probabilities.T)
    others = mean_reciprocals(beyond, 2 * labels).T  # others[a - 1] = E[1 / (a + labels after the k-th)]
    for k in range(labels, 0, -1):
        values[k] = np.einsum("cr,cr->r", laws[k - 1], others[k : 2 * k])
        there = probabilities[:, k - 1]
        others = others[: 2 * k - 2] * (1 - there) + others[1 : 2 * k - 1] * there
    return values.T


def _weighted_laws(probabilities: Floats) -> list[Floats]:
    """2 c P(c of the k likeliest are there) for each k: (m, rows) to m arrays of (k, rows), c = 1 ... k."""
    law = np.ones((1, probabilities.shape[1]))
    weights = 2.0 * (numbered(len(probabilities))[:, None] + 1)
    laws: list[Floats] = []
    for k, there in enumerate(probabilities, start=1):
        longer = np.empty((k + 1, law.shape[1]))
        longer[0], longer[1:] = 0.0, law * there
        longer[:k] += law * (1 - there)
        law = longer
        laws.append(law[1:] * weights[:k])
    return laws


@dataclass(frozen=True, slots=True)
class ExpectedF1:
    """Nothing is fitted: it rests on the probabilities being calibrated."""

    candidates: int
    empty_scores: bool

    def decide(self, probabilities: Numbers) -> Bools:
        result = np.empty(probabilities.shape, dtype=np.bool_)

        def work(chunk: slice) -> None:
            top = likeliest(probabilities[chunk], self.candidates)
            values = expected_values(top.probabilities, top.beyond, empty_scores=self.empty_scores)
            best = np.argmax(values, axis=1)
            result[chunk] = top.decided(numbered(top.columns.shape[1]) < best[:, None])

        in_row_chunks(work, len(probabilities), probabilities.shape[1], _CELLS)
        return result

    def to_json(self) -> dict[str, Any]:
        return {}


def _fit(evidence: Evidence) -> ExpectedF1:
    return ExpectedF1(evidence.config.candidates, evidence.config.empty_scores)


def _read(_: Fields, config: Decision, __: int) -> ExpectedF1:
    return ExpectedF1(config.candidates, config.empty_scores)


RULE = RuleMaker(_fit, _read)
