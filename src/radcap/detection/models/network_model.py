"""A model that is one network, asked about any dataset.

Invariant: images are decoded, looked at and forgotten, so memory does not grow with the dataset but for the
answers; what a network is shown is what training showed it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.detection.calibration.platt import sigmoid
from radcap.detection.models.answers import Answers, rescued, scored
from radcap.detection.models.counting import label_counts
from radcap.detection.retrieval import answer
from radcap.vision.pictures.streaming import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.calibration import Calibrator
    from radcap.detection.decisions import CountRescue, Rule
    from radcap.detection.learners import FittedLearner
    from radcap.detection.retrieval import NeighbourIndex, Retrieval
    from radcap.vision.network import Network
    from radcap.vision.pictures import View
    from radcap.vision.pictures.streaming import Shot
    from radcap.vision.training.devices import Place

__all__ = ["NetworkModel"]

_ON_CPU, _ON_GPU = 4, 256  # images a batch: on a CPU few, whose layers stay in its cache


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """A network with its calibration and rule; neighbours or a classic model may answer in place of its head.

    `gate` is the layer over its vectors that tells radiology images from others: weights and an offset.
    """

    labels: tuple[Cui, ...]
    names: Mapping[Cui, str]
    network: Network
    view: View
    place: Place
    calibrator: Calibrator | None = None
    rule: Rule | None = None
    retrieval: Retrieval | None = None
    index: NeighbourIndex | None = None
    gate: tuple[torch.Tensor, float] | None = None
    learner: FittedLearner | None = None
    rescue: CountRescue | None = None

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> Answers:
        """What the model says about each image of a dataset."""
        on_gpu = self.place.device.type == "cuda"
        size = _ON_GPU if on_gpu else _ON_CPU
        ids: list[str] = []
        logits: list[NDArray[np.float32]] = []
        vectors: list[NDArray[np.float32]] = []
        refused: dict[str, str] = {}
        # a network on the CPU takes all cores, and waits for each: a thread beside it costs more than it does
        for shot in stream(dataset, self.view, size, threads=int(on_gpu)):
            if shot.ids:
                scores, features = self.look(shot)
                logits.append(scores)
                vectors.append(features)
            ids += shot.ids
            refused |= shot.refused
            if progress is not None:
                progress("images", len(ids) + len(refused))
        seen = Answers(
            tuple(ids), self.labels, np.zeros((len(ids), len(self.labels)), np.bool_), refused=refused
        )
        width = self.network.backbone.width
        return self.decided(seen, _joined(logits, len(self.labels)), _joined(vectors, width))

    @torch.inference_mode()
    def look(self, shot: Shot) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        device = self.place.device
        images = self.view(shot.squares.to(device), shot.boxes.to(device), half=self.place.half)
        with self.place.autocast():
            logits, vectors = self.network.both(images)
        return logits.cpu().numpy(), vectors.cpu().numpy()

    def decided(self, seen: Answers, logits: NDArray[np.float32], vectors: NDArray[np.float32]) -> Answers:
        """What follows from scores and vectors of the images that were seen."""
        seen = replace(seen, counts=label_counts(self.network.head, vectors))
        if self.gate is not None:
            weight, offset = self.gate
            score = vectors.astype(np.float64) @ weight.double().numpy() + offset
            seen = replace(seen, radiology=sigmoid(score).astype(np.float32))
        if self.retrieval is not None and self.index is not None:
            found = answer(self.retrieval, self.index, vectors)
            if found.dtype == np.bool_:
                return rescued(replace(seen, decided=found), self.rescue, logits)
            logits = found.astype(np.float32)
        if self.learner is not None:
            logits = self.learner.logits(vectors)
        return rescued(scored(seen, logits, self.calibrator, self.rule), self.rescue)


def _joined(parts: list[NDArray[np.float32]], width: int) -> NDArray[np.float32]:
    return np.concatenate(parts) if parts else np.zeros((0, width), np.float32)
