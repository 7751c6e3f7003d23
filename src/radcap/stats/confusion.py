"""A confusion matrix: how often two label sequences say what together.

Invariant: rows are the first sequence (the truth, or one rater), columns the second.
A share of nothing is NaN.
>>> matrix = ConfusionMatrix.of(["CT", "CT", "MRI"], ["CT", "MRI", "MRI"])
>>> matrix.counts, matrix.accuracy, matrix.precisions, matrix.recalls
(((1, 1), (0, 1)), 0.6666666666666666, (1.0, 0.5), (0.5, 1.0))
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING, Any, TypeAlias

from radcap.core import UsageError, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ConfusionMatrix", "Label"]

Label: TypeAlias = "str | int"


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Labels in order, and `counts[row][column]` of those labels."""

    labels: tuple[Label, ...]
    counts: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        size = len(self.labels)
        if len(set(self.labels)) != size or [len(row) for row in self.counts] != [size] * size:
            raise UsageError(
                f"{size} labels and rows of {[len(row) for row in self.counts]} counts were given. Labels "
                "must differ, and each has one row and one column. Count again."
            )

    @classmethod
    def of(
        cls, first: Sequence[Label], second: Sequence[Label], labels: Iterable[Label] | None = None
    ) -> ConfusionMatrix:
        """Count pairs. Without `labels` those that occur are taken, numbers first, then words."""
        if len(first) != len(second):
            raise UsageError(
                f"{counted(len(first), 'label')} came with {counted(len(second), 'label')}. "
                "They cannot be paired. Give both in the order of the same items."
            )
        occurring = {*first, *second}
        chosen = tuple(sorted(occurring, key=_order) if labels is None else labels)
        strange = sorted(map(str, occurring.difference(chosen)))
        if strange:
            raise UsageError(
                f"Label {strange[0]!r} is not among {', '.join(map(str, chosen))}. It cannot be counted. "
                "Add it to the labels or mend the data."
            )
        pairs = Counter(zip(first, second, strict=True))
        return cls(chosen, tuple(tuple(pairs[row, column] for column in chosen) for row in chosen))

    @property
    def n(self) -> int:
        return sum(self.row_totals)

    @property
    def row_totals(self) -> tuple[int, ...]:
        return tuple(map(sum, self.counts))

    @property
    def column_totals(self) -> tuple[int, ...]:
        return tuple(map(sum, zip(*self.counts, strict=True)))

    @property
    def hits(self) -> tuple[int, ...]:
        """The diagonal: how often both say this label."""
        return tuple(row[place] for place, row in enumerate(self.counts))

    @property
    def accuracy(self) -> float:
        return _share(sum(self.hits), self.n)

    @property
    def precisions(self) -> tuple[float, ...]:
        return tuple(map(_share, self.hits, self.column_totals))

    @property
    def recalls(self) -> tuple[float, ...]:
        return tuple(map(_share, self.hits, self.row_totals))

    def to_json(self) -> dict[str, Any]:
        return {
            "labels": list(self.labels),
            "counts": [list(row) for row in self.counts],
            "n": self.n,
            "accuracy": _json(self.accuracy),
            "precision": [_json(one) for one in self.precisions],
            "recall": [_json(one) for one in self.recalls],
        }


def _order(label: Label) -> tuple[bool, Label]:
    """Numbers by size before words by spelling."""
    return isinstance(label, str), label


def _share(part: int, whole: int) -> float:
    return part / whole if whole else nan


def _json(value: float) -> float | None:
    """JSON has no NaN."""
    return None if isnan(value) else value
