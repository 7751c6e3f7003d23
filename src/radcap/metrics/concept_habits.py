"""What a concept score hides: how many concepts a run names, how many different ones, how often none.

Short lists of frequent concepts have won boards: in 2025 a run of 15 distinct CUIs, 1.3 per image, beat
one of 103 distinct CUIs, 3.0 per image, of the same team.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.concept_sets import SetPair

__all__ = ["ConceptHabits", "concept_habits"]

_NO_CONCEPT = frozenset({""})  # what an empty part of a cell leaves


@dataclass(frozen=True, slots=True)
class ConceptHabits:
    """The habits of a run, with those of the truth to compare."""

    cuis_per_image: float
    cuis_per_image_truth: float
    distinct_cuis: int
    distinct_cuis_truth: int
    empty_predictions: int
    empty_truths: int

    def rows(self) -> tuple[tuple[str, str, str], ...]:
        """What is counted, in the run and in the truth."""
        return (
            ("CUIs per image", f"{self.cuis_per_image:.2f}", f"{self.cuis_per_image_truth:.2f}"),
            ("distinct CUIs", f"{self.distinct_cuis:,}", f"{self.distinct_cuis_truth:,}"),
            ("images without CUI", f"{self.empty_predictions:,}", f"{self.empty_truths:,}"),
        )

    def to_json(self) -> dict[str, float | int]:
        return asdict(self)


def concept_habits(pairs: Sequence[SetPair]) -> ConceptHabits:
    """Count over the images that were scored."""
    predicted = [len(pair.predicted) - ("" in pair.predicted) for pair in pairs]
    truth = [len(pair.truth) - ("" in pair.truth) for pair in pairs]
    return ConceptHabits(
        cuis_per_image=sum(predicted) / len(pairs),
        cuis_per_image_truth=sum(truth) / len(pairs),
        distinct_cuis=len(frozenset[str]().union(*(pair.predicted for pair in pairs)) - _NO_CONCEPT),
        distinct_cuis_truth=len(frozenset[str]().union(*(pair.truth for pair in pairs)) - _NO_CONCEPT),
        empty_predictions=predicted.count(0),
        empty_truths=truth.count(0),
    )
