"""What a detector says of the images that a captioner learns from or is judged by."""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.recall import Recall
from radcap.core import MODALITIES
from radcap.detection.examples import groups_of, label_matrix
from radcap.detection.retrieval import NeighbourIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned

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
    recall = recall or make_recall(kept, said.vectors)
    k = maker.system.condition.neighbours
    groups = groups_of(kept.images, kept.images.ids)
    near = near_captions(recall, said.vectors, k, groups) if k else ()
    return Beside(labels, near, recall)


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
    """What is told of each image, as the settings say."""
    wanted = maker.system.condition.concepts
    if wanted == "none":
        return None
    kept = np.array([wanted == "all" or cui in MODALITIES for cui in maker.labels], np.bool_)
    return torch.from_numpy(decided & kept).to(maker.place.device)


def make_recall(captioned: Captioned, vectors: NDArray[np.float32]) -> Recall:
    """Images that are remembered with their captions."""
    images = captioned.images
    index = NeighbourIndex.of(
        vectors, images.ids, (), np.zeros((len(images), 0), np.bool_), groups_of(images, images.ids)
    )
    return Recall(index, captioned.captions)


def truth_of(maker: CaptionMaker, captioned: Captioned) -> NDArray[np.bool_]:
    """The labels of captioned images, a row an image."""
    return label_matrix(captioned.images, maker.labels)


def near_captions(
    recall: Recall, vectors: NDArray[np.float32], k: int, groups: Sequence[str]
) -> list[list[str]]:
    """The captions of the nearest images of other groups."""
    return [[one.caption for one in some] for some in recall.nearest(vectors, k, groups)]
