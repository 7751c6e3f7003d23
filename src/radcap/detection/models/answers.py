"""What a model says about images: scores, decisions, and which images it could not look at.

Invariant: rows are the images that were looked at, in the order of the dataset; columns are the labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import Run, Task
from radcap.detection.calibration.platt import sigmoid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.detection.calibration import Calibrator
    from radcap.detection.decisions import CountRescue, Rule

__all__ = ["Answers", "rescued", "scored"]

_UNSURE = 0.5  # below it an image is more likely no radiology image


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """`probabilities` are calibrated; a model that only decides (votes, neighbours' tags) has none.

    `radiology` is the probability that an image is a radiology image, where the model can tell; `counts` is
    how many labels each image has, where a head says so.
    """

    ids: tuple[str, ...]
    labels: tuple[Cui, ...]
    decided: NDArray[np.bool_]
    logits: NDArray[np.float32] | None = None
    probabilities: NDArray[np.floating[Any]] | None = None
    radiology: NDArray[np.float32] | None = None
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    counts: NDArray[np.float32] | None = None

    def run(self, order: Sequence[str], name: str = "") -> Run:
        """A run with a row for every id of `order`; an image that was not looked at has no concept."""
        cells = {one: ";".join(cuis) for one, cuis in zip(self.ids, self.concepts(), strict=True)}
        return Run(Task.CONCEPTS, {one: cells.get(one, "") for one in order}, name)

    def concepts(self) -> list[list[Cui]]:
        """The concepts of each image, the most probable first where that is known."""
        names = np.array(self.labels)
        rank = np.zeros(self.decided.shape) if self.probabilities is None else -self.probabilities
        found: list[list[Cui]] = []
        for row, chosen in enumerate(self.decided):
            places = np.flatnonzero(chosen)
            found.append(names[places[np.argsort(rank[row, places], kind="stable")]].tolist())
        return found

    def not_radiology(self) -> list[str]:
        """Images that are more likely no radiology image, where the model can tell."""
        if self.radiology is None:
            return []
        return [one for one, p in zip(self.ids, self.radiology.tolist(), strict=True) if p < _UNSURE]

    def to_json(self) -> dict[str, Any]:
        """The concepts of each image, and what is to be known of the others."""
        radiology = (
            None if self.radiology is None else dict(zip(self.ids, self.radiology.tolist(), strict=True))
        )
        concepts = dict(zip(self.ids, self.concepts(), strict=True))
        return {"concepts": concepts, "radiology": radiology, "refused": dict(self.refused)}


def scored(
    answers: Answers, logits: NDArray[np.float32], calibrator: Calibrator | None, rule: Rule | None
) -> Answers:
    """The answers that follow from scores; without a fitted rule (nothing was held out), 0.5 decides."""
    if calibrator is None or rule is None:
        plain = sigmoid(logits.astype(np.float64)).astype(np.float32)
        return replace(answers, decided=logits >= 0, logits=logits, probabilities=plain)
    probabilities = calibrator(logits)
    return replace(answers, decided=rule(probabilities), logits=logits, probabilities=probabilities)


def rescued(answers: Answers, rescue: CountRescue | None, scores: NDArray[Any] | None = None) -> Answers:
    """The answers with labels where there were too few; `scores` say which are likeliest, in place of the
    probabilities."""
    ranked = answers.probabilities if scores is None else scores
    if rescue is None or answers.counts is None or ranked is None:
        return answers
    return replace(answers, decided=rescue(answers.decided, ranked, answers.counts))
