"""How true an explanation is to its model, in figures.

Invariant: `deletion` is better when lower, `insertion` when higher; areas are of curves over the share of the
picture that is gone or there, so 0 to 1. A figure that was not measured is None, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Curve", "Faithfulness", "Sanity"]

_LEAST = 0.02  # of probability between the picture and its blur
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class Curve:
    """How probable the statement is as ever more of the picture goes, or comes."""

    shares: tuple[float, ...]  # of the picture, 0 to 1, ascending
    values: tuple[float, ...]

    @property
    def area(self) -> float:
        """By trapezia."""
        steps = zip(self.shares, self.shares[1:], self.values, self.values[1:], strict=False)
        return sum((right - left) * (low + high) / 2 for left, right, low, high in steps)


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """Of one map: curves, and the areas that a map of noise and a map of edges reach on the same image."""

    deletion: Curve
    insertion: Curve
    random_deletion: float
    random_insertion: float
    edge_deletion: float
    edge_insertion: float
    road: float | None = None  # least relevant first less most relevant first: higher is better
    infidelity: float | None = None  # lower is better
    sensitivity: float | None = None  # the largest change under small noise, as a share: lower is better
    pointing: bool | None = None  # whether the peak lies in the true region
    overlap: float | None = None  # intersection over union with the true region

    @property
    def gain(self) -> float:
        """Insertion less deletion, above that of the better of noise and edges."""
        own = self.insertion.area - self.deletion.area
        others = (self.random_insertion - self.random_deletion, self.edge_insertion - self.edge_deletion)
        return own - max(others)

    @property
    def telling(self) -> bool:
        """Whether the statement needs the picture at all: else curves say nothing about a map."""
        return abs(self.deletion.values[0] - self.deletion.values[-1]) >= _LEAST

    @property
    def better(self) -> bool:
        """Whether the map is more than noise and edges are, by more than rounding."""
        return self.telling and self.gain > _ROUNDING

    def to_json(self) -> dict[str, Any]:
        return {
            "deletion": round(self.deletion.area, 4),
            "insertion": round(self.insertion.area, 4),
            "random": _areas(self.random_deletion, self.random_insertion),
            "edges": _areas(self.edge_deletion, self.edge_insertion),
            "gain": round(self.gain, 4),
            "better_than_both": self.better,
            "telling": self.telling,
            "road": _rounded(self.road),
            "infidelity": _rounded(self.infidelity),
            "sensitivity": _rounded(self.sensitivity),
            "pointing": self.pointing,
            "overlap": _rounded(self.overlap),
            "curves": {
                "shares": [round(one, 4) for one in self.deletion.shares],
                "deletion": [round(one, 4) for one in self.deletion.values],
                "insertion": [round(one, 4) for one in self.insertion.values],
            },
        }


@dataclass(frozen=True, slots=True)
class Sanity:
    """Whether maps change as the model's weights become noise, from the last layers to the first.

    `likeness` is the rank correlation with the true maps after each stage: a method that does not look at
    the model keeps it near 1.
    """

    stages: tuple[str, ...]
    likeness: tuple[float, ...]
    most: float = 0.5  # likeness at the end from which a method fails

    @property
    def passed(self) -> bool:
        return bool(self.likeness) and abs(self.likeness[-1]) < self.most

    def to_json(self) -> dict[str, Any]:
        return {
            "test": "cascading weight randomisation",
            "stages": list(self.stages),
            "likeness": [round(one, 4) for one in self.likeness],
            "most": self.most,
            "passed": self.passed,
        }


def _areas(deletion: float, insertion: float) -> dict[str, float]:
    return {"deletion": round(deletion, 4), "insertion": round(insertion, 4)}


def _rounded(value: float | None) -> float | None:
    """Four digits that count: some of these figures are very small."""
    return None if value is None else float(f"{value:.4g}")
