"""What training has come to, epoch by epoch.

Invariant: all that early stopping, the choice of an epoch and the plateau schedule need can be told from it.
"""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, fields, replace
from math import inf, isfinite

__all__ = ["EpochRow", "History"]


@dataclass(frozen=True, slots=True)
class EpochRow:
    """One epoch. What was not measured is None."""

    epoch: int
    loss: float
    lr: float
    seconds: float
    images_per_s: float
    held_loss: float | None = None
    held_score: float | None = None


@dataclass(frozen=True, slots=True)
class History:
    """The rows so far, and which value is watched: a score (f1, where it is that of concepts) or loss."""

    rows: tuple[EpochRow, ...] = ()
    watch: str = "f1"

    def __add__(self, row: EpochRow) -> History:
        return replace(self, rows=(*self.rows, row))

    def worth(self, row: EpochRow) -> float | None:
        """How good an epoch was, more being better."""
        if self.watch != "loss":
            return row.held_score
        if row.held_loss is None:
            return None
        return -row.held_loss if isfinite(row.held_loss) else -inf

    @property
    def best(self) -> EpochRow | None:
        """The first of the best epochs."""
        judged = [(worth, row) for row in self.rows if (worth := self.worth(row)) is not None]
        return max(judged, key=lambda one: one[0])[1] if judged else None

    @property
    def stale(self) -> int:
        """Epochs since the best one."""
        return self.rows[-1].epoch - self.best.epoch if self.best is not None else 0

    def drops(self, patience: int) -> int:
        """How often the rate was lowered: each time more than `patience` epochs brought no gain."""
        best, waited, lowered = float("-inf"), 0, 0
        for row in self.rows:
            worth = self.worth(row)
            if worth is None:
                continue
            if worth > best:
                best, waited = worth, 0
            elif (waited := waited + 1) > patience:
                waited, lowered = 0, lowered + 1
        return lowered

    def to_csv(self) -> str:
        """A line for each epoch, under the names of the fields."""
        out = io.StringIO()
        writer = csv.DictWriter(out, [one.name for one in fields(EpochRow)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in self.rows)
        return out.getvalue()
