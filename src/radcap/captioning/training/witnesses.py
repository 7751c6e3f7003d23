"""What a detector says of the images that a captioner learns from or is judged by."""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.kin import Kin
from radcap.captioning.models.recall import NONE_LIKE, Recall
from radcap.captioning.training.concept_clusters import concept_clusters
from radcap.core import MODALITIES
from radcap.core.counts import counted
from radcap.detection.examples import groups_of, label_matrix
from radcap.detection.retrieval import NeighbourIndex
from radcap.detection.talk import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.captioning.models.answers import NeighbourCaption
    from radcap.captioning.settings import ConditionSettings
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned
    from radcap.core import Cui
    from radcap.detection.talk import Talk

__all__ = [
    "Beside",
    "Witness",
    "beside",
    "make_recall",
    "near_captions",
    "told_labels",
    "truth_of",
    "witness",
]


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """Decisions and vectors of images, in their order."""

    decided: NDArray[np.bool_]
    vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """What may be told beside images: labels (n x labels), captions of neighbours, and what recalls those."""

    labels: NDArray[np.bool_]
    near: Sequence[Sequence[str]]
    recall: Recall


def beside(maker: CaptionMaker, kept: Captioned, recall: Recall | None = None) -> Beside:
    """Of images that could be decoded before; of held-out images (with a recall) what the detector says."""
    said = witness(maker, kept)
    labels = truth_of(maker, kept) if recall is None else said.decided
    wanted, seed = maker.system.condition, maker.system.train.seed
    recall = recall or make_recall(kept, said.vectors, maker.labels, wanted, seed)
    if not wanted.neighbours:
        return Beside(labels, (), recall)
    groups = groups_of(kept.images, kept.images.ids)
    # by what the detector says: never by the truth
    near = recall.nearest(said.vectors, wanted.neighbours, groups, said.decided)
    return Beside(labels, near_captions(near, maker.talk), recall)


def witness(maker: CaptionMaker, captioned: Captioned) -> Witness:
    """The detector's word on images that could be decoded before."""
    assert maker.detector is not None  # noqa: S101 - asked only where there is one
    eyes = Eyes(maker.place, maker.detector.view, detector=maker.detector)
    decided: list[NDArray[np.bool_]] = []
    vectors: list[NDArray[np.float32]] = []
    for sight in eyes.look(captioned.images):
        assert sight.answers is not None  # noqa: S101 - eyes with a detector have its answers
        assert sight.vectors is not None  # noqa: S101
        decided.append(sight.answers.decided)
        vectors.append(sight.vectors.cpu().numpy())
    return Witness(np.concatenate(decided), np.concatenate(vectors))


def told_labels(maker: CaptionMaker, decided: NDArray[np.bool_]) -> torch.Tensor | None:
    """What is told of each image, as the settings say; for a prompt that names it, the modality at least."""
    wanted = maker.system.condition
    if wanted.concepts == "none" and not wanted.tells_modality:
        return None
    kept = np.array([wanted.concepts == "all" or cui in MODALITIES for cui in maker.labels], np.bool_)
    return torch.from_numpy(decided & kept).to(maker.place.device)


def make_recall(
    captioned: Captioned,
    vectors: NDArray[np.float32],
    labels: tuple[Cui, ...] = (),
    condition: ConditionSettings | None = None,
    seed: int = 0,
) -> Recall:
    """Images that are remembered with their captions, and with their labels where the condition asks."""
    images = captioned.images
    wanted = condition if condition is not None and condition.by_concepts else None
    labels = labels if wanted is not None else ()
    truth = label_matrix(images, labels)
    index = NeighbourIndex.of(vectors, images.ids, labels, truth, groups_of(images, images.ids))
    if wanted is None:
        return Recall(index, captioned.captions)
    clusters = concept_clusters(truth, wanted.clusters, seed) if wanted.clusters else ()
    return Recall(index, captioned.captions, Kin(index, clusters, wanted.alike))


def truth_of(maker: CaptionMaker, captioned: Captioned) -> NDArray[np.bool_]:
    """The labels of captioned images, a row an image."""
    return label_matrix(captioned.images, maker.labels)


def near_captions(near: Sequence[Sequence[NeighbourCaption]], talk: Talk = SILENT) -> list[list[str]]:
    """What is said of the neighbours of each image; told how many have none with like concepts."""
    without = sum(any(one.found == NONE_LIKE for one in some) for some in near)
    if without:
        of = counted(len(near), "image")
        talk.tell(f"No neighbour has like concepts, so the nearest are told: {without:,} of {of}")
    return [[one.caption for one in some] for some in near]
