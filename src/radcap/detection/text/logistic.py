"""Logistic regression of many labels over sparse rows.

Invariant: each label is a convex problem of its own, so that blocks of labels, solved one after another, give
what all at once would; nothing is drawn by lot and only the CPU works, so that the same rows give the same
weights.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.functional import embedding_bag

from radcap.detection.learners.descent import descend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.detection.text.features import Rows

__all__ = ["Bags", "fit_logistic"]

_BLOCK = 128  # labels at a time: what L-BFGS remembers of 10,000 terms is then 0.2 GB
_STRENGTH = 10.0  # what the texts weigh against small weights (C of other libraries); concepts are rare


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """A sparse matrix to be multiplied: sums over bags of rows are several times as fast as torch's own."""

    place: torch.Tensor
    start: torch.Tensor
    value: torch.Tensor

    @classmethod
    def of(cls, rows: Rows, *, turned: bool = False) -> Bags:
        """Rows as they are, or their columns as rows."""
        row, column = (rows.column, rows.row) if turned else (rows.row, rows.column)
        order = np.argsort(row, kind="stable")
        sizes = np.bincount(row, minlength=rows.shape[turned])
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)[:-1]])
        value = rows.value[order].astype(np.float32)
        return cls(*(torch.from_numpy(one) for one in (column[order], start[: len(sizes)], value)))

    def __matmul__(self, dense: torch.Tensor) -> torch.Tensor:
        if not len(self.place):
            return dense.new_zeros(len(self.start), dense.shape[1])
        return embedding_bag(self.place, dense, self.start, mode="sum", per_sample_weights=self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The matrix of a regression: sparse rows, and a last column of ones for the offset."""

    rows: Bags
    columns: Bags

    @property
    def T(self) -> Slopes:  # noqa: N802 - as every matrix calls it
        return Slopes(self.columns)

    def __len__(self) -> int:
        return len(self.rows.start)

    def __matmul__(self, theta: torch.Tensor) -> torch.Tensor:
        return self.rows @ theta[:-1] + theta[-1]


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """The same, turned."""

    columns: Bags

    def __matmul__(self, wrong: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.columns @ wrong, wrong.sum(dim=0, keepdim=True)])


def fit_logistic(
    rows: Rows, truth: NDArray[np.bool_], strength: float = _STRENGTH
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights (labels x terms) and offsets that minimise |weights|^2 / 2 + strength x the log loss."""
    design = Design(Bags.of(rows), Bags.of(rows, turned=True))
    known = torch.from_numpy(np.ascontiguousarray(truth)).float()
    theta = torch.zeros(len(design.columns.start) + 1, known.shape[1])
    theta[-1] = torch.logit((known.sum(0) + 0.5) / (len(known) + 1))  # what is known without any word
    for start in range(0, known.shape[1], _BLOCK):
        some = slice(start, start + _BLOCK)
        theta[:, some] = descend(design, known[:, some].contiguous(), strength, theta[:, some])
    return theta[:-1].T.contiguous(), theta[-1].clone()
