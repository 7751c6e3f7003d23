"""Looking at images: feature maps for a writer, and what a detector says of them.

Invariant: where the detector's backbone looks for the writer too, an image is looked at once. Images are
decoded, looked at and forgotten.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.detection.models.answers import Answers
from radcap.vision.pictures.streaming import stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.datasets import Dataset
    from radcap.detection.models.network_model import NetworkModel
    from radcap.vision.backbones import Backbone
    from radcap.vision.pictures import View
    from radcap.vision.pictures.streaming import Shot
    from radcap.vision.training import Place

__all__ = ["Eyes", "Sight"]

_ON_CPU, _ON_GPU = 8, 256  # images a batch


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """A batch that was looked at; `answers` and `vectors` are the detector's, where there is one, and
    `beside` is what other eyes saw."""

    ids: tuple[str, ...]
    features: torch.Tensor
    answers: Answers | None
    vectors: torch.Tensor | None
    refused: Mapping[str, str]
    beside: torch.Tensor | None = None

    @property
    def gist(self) -> torch.Tensor:
        """An image as one vector: the detector's, or the mean of the feature map."""
        return self.features.mean(dim=(2, 3)) if self.vectors is None else self.vectors

    def of(self, ids: Sequence[str]) -> Sight:
        """Some of its images, without the answers about them."""
        place = {image: row for row, image in enumerate(self.ids)}
        rows = [place[image] for image in ids]
        vectors, beside = (None if one is None else one[rows] for one in (self.vectors, self.beside))
        return Sight(tuple(ids), self.features[rows], None, vectors, {}, beside)


@dataclass(frozen=True, eq=False)
class Eyes:
    """`backbone` is None where the detector's looks for the writer too; `beside` are other eyes, which look
    at the same images for what chooses among drafts."""

    place: Place
    view: View
    backbone: Backbone | None = None
    detector: NetworkModel | None = None
    beside: Eyes | None = None

    def __post_init__(self) -> None:
        if self.backbone is None and self.detector is None:
            raise ValueError("Nothing to look with: give a backbone or a detector")

    @property
    def width(self) -> int:
        """Of the feature maps."""
        return self.looker.width

    @property
    def looker(self) -> Backbone:
        """What looks for the writer."""
        if self.backbone is not None:
            return self.backbone
        assert self.detector is not None  # noqa: S101 - one of the two is there
        return self.detector.network.backbone

    @property
    def gist_width(self) -> int:
        """Of the vector that stands for an image."""
        return self.width if self.detector is None else self.detector.network.backbone.width

    def look(self, dataset: Dataset) -> Iterator[Sight]:
        """The images of a dataset, a batch at a time."""
        if self.beside is None:
            yield from self._looked(dataset)
            return
        for sight, other in zip(self._looked(dataset), self.beside.look(dataset), strict=True):
            yield replace(sight, beside=other.gist)

    def _looked(self, dataset: Dataset) -> Iterator[Sight]:
        on_gpu = self.place.device.type == "cuda"
        size, threads = (_ON_GPU, 1) if on_gpu else (_ON_CPU, 0)
        shots = stream(dataset, self.view, size, threads=threads)
        if self.backbone is None or self.detector is None:
            for shot in shots:
                yield self._seen(shot, None)
            return
        others = stream(dataset, self.detector.view, size, threads=threads)
        for shot, other in zip(shots, others, strict=True):  # the detector has a size of its own
            yield self._seen(shot, other)

    @torch.inference_mode()
    def _seen(self, shot: Shot, other: Shot | None) -> Sight:
        features = self._features(self.looker, self.view, shot)
        theirs = features
        if other is not None and self.detector is not None:
            theirs = self._features(self.detector.network.backbone, self.detector.view, other)
        return self.sight(shot.ids, features, theirs, shot.refused)

    def sight(
        self,
        ids: tuple[str, ...],
        features: torch.Tensor,
        theirs: torch.Tensor,
        refused: Mapping[str, str] | None = None,
    ) -> Sight:
        """Images by their feature maps: those for the writer, and `theirs`, for the detector."""
        if self.detector is None:
            return Sight(ids, features, None, None, refused or {})
        head = self.detector.network.head
        with self.place.autocast():
            logits, vectors = head(theirs).float(), head.embed(theirs).float()
        return Sight(ids, features, self._answers(ids, logits, vectors), vectors, refused or {})

    def _features(self, backbone: Backbone, view: View, shot: Shot) -> torch.Tensor:
        device = self.place.device
        images = view(shot.squares.to(device), shot.boxes.to(device), half=self.place.half)
        with self.place.autocast():
            return backbone(images).float()

    def _answers(self, ids: tuple[str, ...], logits: torch.Tensor, vectors: torch.Tensor) -> Answers:
        assert self.detector is not None  # noqa: S101 - asked only where there is one
        labels = self.detector.labels
        seen = Answers(ids, labels, np.zeros((len(ids), len(labels)), np.bool_))
        return self.detector.decided(seen, logits.cpu().numpy(), vectors.cpu().numpy())
