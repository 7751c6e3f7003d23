"""What a network says about images it did not learn from, and what is fitted on that.

Invariant: every held-out image is decided by a calibration and a rule that did not see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.decisions import cross_fit
from radcap.detection.examples import groups_of, label_matrix
from radcap.detection.learners import fit_learner
from radcap.detection.models.answers import Answers
from radcap.detection.models.counting import label_counts
from radcap.detection.retrieval import NeighbourIndex, answer, with_ranks
from radcap.detection.training.rescuing import rescue_judged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.calibration import Calibrator
    from radcap.detection.decisions import CountRescue, CrossFitted, Rule
    from radcap.detection.learners import FittedLearner, Learner
    from radcap.detection.retrieval import Retrieval
    from radcap.detection.training.networks import Trainer
    from radcap.detection.training.parts import Parts
    from radcap.vision.network import Network
    from radcap.vision.training import PictureFeed

__all__ = ["Judged", "judge", "learnt", "neighbour_index"]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The answers to a held-out split, out of fold, and what was fitted on all of it."""

    answers: Answers
    dataset: Dataset
    crossed: CrossFitted | None = None  # where answers are decided without scores, nothing is fitted
    rescue: CountRescue | None = None
    learner: FittedLearner | None = None  # that answered, where one did

    @property
    def fitted(self) -> tuple[Calibrator | None, Rule | None]:
        return (None, None) if self.crossed is None else (self.crossed.calibrator, self.crossed.rule)


def judge(
    trainer: Trainer, network: Network, feed: PictureFeed, held: PictureFeed | None, parts: Parts
) -> Judged | None:
    """The held-out images, decided out of fold; None where nothing is held out."""
    if held is None or parts.held is None:
        return None
    model, ids, truth = trainer.model, held.pictures.ids, _truth(held)
    learner = None if model.learner is None else learnt(trainer, model.learner, network, feed)
    if learner is not None:
        found: NDArray[Any] = learner.logits(trainer.vectors(network, held))
    else:
        found = _found(trainer, network, feed, held, parts)
    groups = groups_of(parts.held, ids)
    counts = _counts(trainer, network, held)
    if found.dtype == np.bool_:
        plain = Judged(Answers(ids, parts.labels, found, counts=counts), parts.held)
        likely = found if model.rescue is None else trainer.logits(network, held)  # neighbours have none
        return rescue_judged(model, plain, likely, truth, groups)
    logits = found.astype(np.float32, copy=False)
    crossed = cross_fit(
        model.calibration,
        model.decision,
        logits,
        truth,
        parts.labels,
        groups,
        seed=model.train.seed,
        train_truth=label_matrix(parts.fit, parts.labels),
    )
    answers = Answers(ids, parts.labels, crossed.decided, logits, crossed.probabilities, counts=counts)
    judged = Judged(answers, parts.held, crossed, learner=learner)
    return rescue_judged(model, judged, crossed.probabilities, truth, groups)


def _counts(trainer: Trainer, network: Network, held: PictureFeed) -> NDArray[np.float32] | None:
    """How many labels the head finds in each image, where it counts."""
    if network.head.counter is None:
        return None
    return label_counts(network.head, trainer.vectors(network, held))


def _found(
    trainer: Trainer, network: Network, feed: PictureFeed, held: PictureFeed, parts: Parts
) -> NDArray[Any]:
    """Logits, or decisions where the neighbours' rule makes them."""
    model = trainer.model
    if model.retrieval is None:
        return trainer.logits(network, held)
    index = neighbour_index(trainer, model.retrieval, network, feed, parts.fit)
    return answer(model.retrieval, index, trainer.vectors(network, held))


def learnt(trainer: Trainer, learner: Learner, network: Network, feed: PictureFeed) -> FittedLearner:
    """The classic model over the vectors of a feed."""
    seed = trainer.model.train.seed
    return fit_learner(learner, trainer.vectors(network, feed), _truth(feed), seed)


def neighbour_index(
    trainer: Trainer, retrieval: Retrieval, network: Network, feed: PictureFeed, dataset: Dataset
) -> NeighbourIndex:
    """The images of a feed by their vectors."""
    ids = feed.pictures.ids
    vectors, groups = trainer.vectors(network, feed), groups_of(dataset, ids)
    index = NeighbourIndex.of(vectors, ids, trainer.labels, _truth(feed), groups, retrieval.metric)
    return with_ranks(index, retrieval, trainer.model.train.seed)


def _truth(feed: PictureFeed) -> NDArray[np.bool_]:
    return feed.labels.cpu().numpy().astype(np.bool_)
