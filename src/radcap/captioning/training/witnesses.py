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

__all__ = ["Witness", "make_recall", "near_captions", "told_labels", "truth_of", "witness"]


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """Decisions and vectors of images, in their order."""

    decided: NDArray[np.bool_]
    vectors: NDArray[np.float32]


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
