"""The genetic search for the weights of ranks: selection, crossover, mutation.

Invariant: the best of a generation live on, so the outcome is never worse on its own images than the start,
equal weights at every tenth of a threshold among it; the same seed gives the same weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.detection.ensembles.scoring import Cells, cells_at, f1_scores
from radcap.detection.retrieval.rank_weights import RankWeights
from radcap.detection.retrieval.tags import Tags
from radcap.detection.retrieval.vectors import Floats

__all__ = ["RankVotes", "bred"]

Genes: TypeAlias = NDArray[np.float32]  # (candidate, rank and last the threshold)

_POPULATION, _ELITE, _RIVALS = 48, 6, 3
_GENERATIONS, _PATIENCE = 60, 15
_MUTATED, _SPREAD = 0.3, 0.25  # the part of the genes, and how far at first
_LEAST = np.float32(1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class RankVotes:
    """Which neighbours stand behind each label that an image could be given: cells of (image, label)."""

    votes: Floats  # (cell, rank)
    there: Floats  # (image, rank): whether the image has a neighbour of that rank
    cells: Cells

    @classmethod
    def of(cls, tags: Tags, rows: NDArray[np.int64], places: NDArray[np.int64]) -> RankVotes:
        """Of images of the index, by their rows, and the places of their neighbours."""
        images, ranks, codes = tags.spelt(places)
        keys, back = np.unique(images * tags.width + codes, return_inverse=True)
        votes = np.zeros((len(keys), places.shape[1]), np.float32)
        votes[back.ravel(), ranks] = 1
        own, _, known = tags.spelt(rows[:, None])
        true, positives = np.isin(keys, own * tags.width + known), np.bincount(own, minlength=len(rows))
        cells = cells_at(keys // tags.width, keys % tags.width, true, positives)
        return cls(votes, (places >= 0).astype(np.float32), cells)

    def shares(self, weights: Floats) -> Floats:
        """The share of the weights behind each cell: (candidate, cell)."""
        whole = weights @ self.there.T
        behind = weights @ self.votes.T
        return behind / np.where(whole > 0, whole, 1).astype(np.float32)[:, self.cells.rows]

    def scores(self, genes: Genes) -> NDArray[np.float64]:
        """The mean F1 of each candidate."""
        return f1_scores(self.cells, self.shares(genes[:, :-1]) >= genes[:, -1:], "sample-f1")


def bred(votes: RankVotes, seed: int) -> RankWeights:
    """The best weights and threshold that a search of some seconds finds."""
    draw, genes = np.random.default_rng(seed), _first(votes.votes.shape[1])
    scores, since, generation = votes.scores(genes), 0, 0
    while generation < _GENERATIONS and since < _PATIENCE:
        order = np.argsort(-scores, kind="stable")
        best, top = genes[order[:_ELITE]], scores[order[0]]
        young = _children(genes, scores, _SPREAD * (1 - generation / _GENERATIONS), draw)
        genes = np.concatenate([best, young])
        scores = np.concatenate([scores[order[:_ELITE]], votes.scores(young)])
        since = 0 if scores.max() > top else since + 1
        generation += 1
    return _settled(votes, genes[int(np.argmax(scores))])


def _first(k: int) -> Genes:
    """Shapes that are likely, each at every tenth of a threshold."""
    rank = np.arange(k, dtype=np.float32)
    shapes = np.stack([np.ones(k, np.float32), 1 / (1 + rank), 1 - rank / k, np.exp(-rank / max(k / 5, 1))])
    cuts = np.linspace(0.1, 0.9, 9, dtype=np.float32)
    return np.concatenate([np.column_stack([shapes, np.full(len(shapes), cut)]) for cut in cuts]).astype(
        np.float32
    )


def _children(genes: Genes, scores: NDArray[np.float64], spread: float, draw: np.random.Generator) -> Genes:
    """Of two parents each gene from either or between them, some of them a little changed."""
    one, other = (genes[_selected(scores, draw)] for _ in range(2))
    part = draw.choice(np.array([0, 0.5, 1]), one.shape)
    made = part * one + (1 - part) * other
    changed = draw.random(made.shape) < _MUTATED
    made = made + changed * draw.normal(0, spread, made.shape)
    made[:, :-1] = np.clip(made[:, :-1], 0, 1)
    made[:, -1] = np.clip(made[:, -1], _LEAST, 1 - _LEAST)
    made[~made[:, :-1].any(axis=1), 0] = 1  # somebody must count
    return made.astype(np.float32)


def _selected(scores: NDArray[np.float64], draw: np.random.Generator) -> NDArray[np.int64]:
    """As many parents as children are wanted: the best of a few rivals by lot."""
    rivals = draw.integers(0, len(scores), (_POPULATION - _ELITE, _RIVALS))
    return np.take_along_axis(rivals, np.argmax(scores[rivals], axis=1)[:, None], axis=1)[:, 0]


def _settled(votes: RankVotes, winner: NDArray[np.float32]) -> RankWeights:
    """Weights that sum to 1, and a threshold in the middle of the gap that it lies in, so that rounding
    decides nothing."""
    weights = winner[:-1] / winner[:-1].sum()
    above = votes.shares(winner[None, :-1])[0] >= winner[-1]
    shares = votes.shares(weights[None])[0]
    low, high = shares[~above].max(initial=0), shares[above].min(initial=1)
    cut = float(np.clip((low + high) / 2, _LEAST, 1 - _LEAST))
    return RankWeights(weights.astype(np.float32), cut)
