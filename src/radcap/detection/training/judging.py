"""What a network says about images it did not learn from, and what is fitted on that.

Invariant: every held-out image is decided by a calibration and a rule that did not see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.decisions import cross_fit
from radcap.detection.examples import groups_of, label_matrix
from radcap.detection.models.answers import Answers
from radcap.detection.retrieval import NeighbourIndex, answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.calibration import Calibrator
    from radcap.detection.decisions import CrossFitted, Rule
    from radcap.detection.retrieval import Retrieval
    from radcap.detection.training.networks import Trainer
    from radcap.detection.training.parts import Parts
    from radcap.vision.network import Network
    from radcap.vision.training import PictureFeed

__all__ = ["Judged", "judge", "neighbour_index"]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The answers to a held-out split, out of fold, and what was fitted on all of it."""

    answers: Answers
    dataset: Dataset
    crossed: CrossFitted | None = None  # where answers are decided without scores, nothing is fitted

    @property
    def fitted(self) -> tuple[Calibrator | None, Rule | None]:
        return (None, None) if self.crossed is None else (self.crossed.calibrator, self.crossed.rule)


def judge(
    trainer: Trainer, network: Network, feed: PictureFeed, held: PictureFeed | None, parts: Parts
) -> Judged | None:
    """The held-out images, decided out of fold; None where nothing is held out."""
    if held is None or parts.held is None:
        return None
    model, ids = trainer.model, held.pictures.ids
    found = _found(trainer, network, feed, held, parts)
    if found.dtype == np.bool_:
        return Judged(Answers(ids, parts.labels, found), parts.held)
    logits = found.astype(np.float32, copy=False)
    crossed = cross_fit(
        model.calibration,
        model.decision,
        logits,
        _truth(held),
        parts.labels,
        groups_of(parts.held, ids),
        seed=model.train.seed,
        train_truth=label_matrix(parts.fit, parts.labels),
    )
    return Judged(
        Answers(ids, parts.labels, crossed.decided, logits, crossed.probabilities), parts.held, crossed
    )


def _found(
    trainer: Trainer, network: Network, feed: PictureFeed, held: PictureFeed, parts: Parts
) -> NDArray[Any]:
    """Logits, or decisions where the neighbours' rule makes them."""
    retrieval = trainer.model.retrieval
    if retrieval is None:
        return trainer.logits(network, held)
    index = neighbour_index(trainer, retrieval, network, feed, parts.fit)
    return answer(retrieval, index, trainer.vectors(network, held))


def neighbour_index(
    trainer: Trainer, retrieval: Retrieval, network: Network, feed: PictureFeed, dataset: Dataset
) -> NeighbourIndex:
    """The images of a feed by their vectors."""
    ids = feed.pictures.ids
    vectors, groups = trainer.vectors(network, feed), groups_of(dataset, ids)
    return NeighbourIndex.of(vectors, ids, trainer.labels, _truth(feed), groups, retrieval.metric)


def _truth(feed: PictureFeed) -> NDArray[np.bool_]:
    return feed.labels.cpu().numpy().astype(np.bool_)
