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
from torch.nn.functional import embedding_bag, softplus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.detection.text.features import Rows

__all__ = ["Bags", "fit_logistic"]

_BLOCK = 128  # labels at a time: what L-BFGS remembers of 10,000 terms is then 0.1 GB
_STEPS, _MEMORY = 100, 6
_FLAT, _STILL = 1e-6, 1e-7  # where it ends: the steepest slope, the least change
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


def fit_logistic(
    rows: Rows, truth: NDArray[np.bool_], strength: float = _STRENGTH
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights (labels x terms) and offsets that minimise |weights|^2 / 2 + strength x the log loss."""
    matrix, turned = Bags.of(rows), Bags.of(rows, turned=True)
    known = torch.from_numpy(np.ascontiguousarray(truth)).float()
    blocks = [known[:, start : start + _BLOCK] for start in range(0, known.shape[1], _BLOCK)]
    parts = [_solved(matrix, turned, one.contiguous(), strength) for one in blocks]
    return torch.cat([weight.T for weight, _ in parts]).contiguous(), torch.cat([one for _, one in parts])


def _solved(
    matrix: Bags, turned: Bags, truth: torch.Tensor, strength: float
) -> tuple[torch.Tensor, torch.Tensor]:
    images, labels = truth.shape
    weight = torch.zeros(len(turned.start), labels)
    offset = torch.logit((truth.sum(0) + 0.5) / (images + 1))  # what is known without any word
    solver = torch.optim.LBFGS(
        [weight, offset],
        max_iter=_STEPS,
        history_size=_MEMORY,
        tolerance_grad=_FLAT,
        tolerance_change=_STILL,
        line_search_fn="strong_wolfe",
    )
    scale = 1 / images

    def loss() -> torch.Tensor:
        logits = matrix @ weight + offset
        wrong = (logits.sigmoid() - truth) * scale
        weight.grad = turned @ wrong + weight * (scale / strength)
        offset.grad = wrong.sum(0)
        told = (softplus(logits) - truth * logits).sum(dtype=torch.float64)
        return (told + weight.square().sum(dtype=torch.float64) / (2 * strength)) * scale

    with torch.no_grad():
        solver.step(loss)  # type: ignore[arg-type]
    return weight, offset
