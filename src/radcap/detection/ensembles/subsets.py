"""Which members to take: every subset scored on held-out images, or, of many members, the greedy way.

Invariant: the scores are those of the rule itself on that subset. The best of many is optimistic by
selection: report it on images that the search has not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from radcap.core import UsageError
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.scoring import F1, Floats
from radcap.detection.ensembles.subset_scoring import Masks, SubsetScorer
from radcap.detection.ensembles.values import Decided, Names, Values

__all__ = ["MOST_MEMBERS", "RankedSubset", "SubsetSearch", "search_subsets"]

MOST_MEMBERS = 15  # 32,767 subsets; beyond it members are added one by one
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class RankedSubset:
    """Some members together, and how well they do."""

    members: Names
    score: float


@dataclass(frozen=True, slots=True)
class SubsetSearch:
    """All subsets that were scored, the best first; of equal ones the smaller first."""

    rule: str
    objective: F1
    images: int
    whole: bool  # whether every subset was scored
    ranked: tuple[RankedSubset, ...]

    @property
    def best(self) -> RankedSubset:
        return self.ranked[0]

    def table(self, most: int = 10) -> list[tuple[int, str, float]]:
        """Rank, members, score."""
        shown = enumerate(self.ranked[:most], start=1)
        return [(rank, " + ".join(one.members), one.score) for rank, one in shown]


def search_subsets(ensemble: Ensemble, values: Values, truth: Decided, names: Names) -> SubsetSearch:
    """Rank subsets of members by F1 on held-out images; `values` is (member, image, label)."""
    if values.shape[1:] != truth.shape or len(names) != len(values):
        raise UsageError(
            f"The members' answers have the shape {values.shape}, the truth {truth.shape}, and {len(names)} "
            "members are named. Align members and truth, and give each member a name."
        )
    scorer = SubsetScorer.of(ensemble, values, truth)
    whole = len(values) <= MOST_MEMBERS
    masks, scores = _every(scorer, len(values)) if whole else _greedily(scorer, len(values))
    sizes = masks.sum(axis=1)
    enough = np.flatnonzero(sizes >= (ensemble.votes if ensemble.rule == "votes" else 1))
    rounded = scores.round(_DIGITS)  # the order of summation is no merit
    order = enough[np.lexsort((sizes[enough], -rounded[enough]))]
    ranked = tuple(RankedSubset(_named(masks[place], names), float(scores[place])) for place in order)
    return SubsetSearch(ensemble.rule, scorer.objective, len(truth), whole, ranked)


def _named(mask: Masks, names: Names) -> Names:
    return tuple(name for name, taken in zip(names, mask.tolist(), strict=True) if taken)


def _every(scorer: SubsetScorer, count: int) -> tuple[Masks, Floats]:
    codes = np.arange(1, 2**count, dtype=np.int64)
    masks: Masks = np.stack([codes >> member & 1 == 1 for member in range(count)], axis=1)
    return masks, scorer.scores(masks)


def _greedily(scorer: SubsetScorer, count: int) -> tuple[Masks, Floats]:
    """From nothing, the member that helps most, as long as one helps or votes are lacking."""
    masks: list[Masks] = []
    scores: list[Floats] = []
    chosen, best = np.zeros(count, bool), -np.inf
    while not chosen.all():
        tried = chosen | np.eye(count, dtype=bool)[~chosen]
        found = scorer.scores(tried)
        if found.max() <= best + 10.0**-_DIGITS and chosen.sum() >= scorer.ensemble.votes:
            break
        masks.append(tried)
        scores.append(found)
        chosen, best = tried[np.argmax(found)], found.max()
    return np.concatenate(masks), np.concatenate(scores)
