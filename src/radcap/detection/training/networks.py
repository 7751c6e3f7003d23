"""Train one network on one set of images.

Invariant: the same settings, data and seed give the same network on the same CPU.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.core import UsageError
from radcap.detection.examples import label_matrix
from radcap.detection.training.teachers import open_teacher
from radcap.vision.losses import make_loss
from radcap.vision.network import make_network
from radcap.vision.pictures import load_pictures
from radcap.vision.training import FeatureFeed, PictureFeed, fit, predicted
from radcap.vision.training.checkpoint import CheckpointFolder

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptModel
    from radcap.detection.training.talk import Talk
    from radcap.vision.network import Network
    from radcap.vision.training import EpochRow, Feed, Place, Trained

__all__ = ["Trainer"]


@dataclass(frozen=True)
class Trainer:
    """What stays the same for every network of a model: its settings, labels, place and listener."""

    model: ConceptModel
    labels: tuple[Cui, ...]
    place: Place
    talk: Talk
    log: Path
    fingerprint: str

    def feed(self, dataset: Dataset) -> PictureFeed:
        """The images of a dataset with their labels. Images that will not decode are left out and named."""
        pictures = load_pictures(
            dataset,
            self.model.image,
            self.place.device,
            where=self.model.train.pixels,
            progress=self.talk.progress,
        )
        if pictures.refused:
            some = ", ".join(f"{one} ({code})" for one, code in list(pictures.refused.items())[:5])
            self.talk.tell(f"{len(pictures.refused):,} images will not decode and are left out: {some}")
        if not len(pictures):
            raise UsageError(f"No image of {dataset.name} can be read. See radcap dataset check.")
        truth = label_matrix(dataset, self.labels)
        place = {one: row for row, one in enumerate(dataset.ids)}
        rows = [place[one] for one in pictures.ids]
        labels = torch.from_numpy(truth[rows].astype(np.uint8)).to(self.place.device)
        return PictureFeed(pictures, labels, self.place.half)

    def train(
        self, feed: PictureFeed, held: PictureFeed | None, folder: Path, *, alone: bool = False
    ) -> tuple[Network, Trained]:
        """A network from its first weights. `alone`: no epoch is chosen, since nothing is held out."""
        model = self.model
        torch.manual_seed(model.train.seed)
        network = make_network(model.backbone, model.head, len(self.labels), size=model.image.size)
        network.to(self.place.device)
        settings = replace(model.train, keep="last", early_stop=0) if alone else model.train
        loss = make_loss(model.loss, feed.labels.float().mean(dim=0))
        state = CheckpointFolder(folder, self.fingerprint)
        if model.backbone.frozen:
            network.eval()
            module, feeds = network.head, [None if one is None else self._features(network, one) for one in (feed, held)]
        else:
            module, feeds = network, [feed, held]
        teacher = None if model.backbone.frozen else open_teacher(model, self.labels, self.place)
        rows: list[EpochRow] = []

        def observe(row: EpochRow) -> None:
            rows.append(row)
            self.talk.epoch(row, settings.epochs)
            if board is not None:
                board(row)

        board = self._board(folder.name)
        trained = fit(
            module, _there(feeds[0]), loss, settings, self.place, held=feeds[1], teacher=teacher, folder=state, observe=observe
        )
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.write_text(trained.history.to_csv(), encoding="utf-8")
        if trained.stopped == "no number":
            self.talk.tell(
                f"The loss became no number after epoch {len(trained.history.rows)}: training ends with the last"
                " good weights. Lower [train] lr, or set clip_grad."
            )
        return network.eval(), trained

    def logits(self, network: Network, feed: Feed) -> np.ndarray:
        """The network's scores for each image of a feed."""
        return predicted(network, feed, self.place).cpu().numpy()

    def vectors(self, network: Network, feed: Feed) -> np.ndarray:
        """The network's vectors for each image of a feed."""
        return predicted(network.embed, feed, self.place).cpu().numpy()

    def _features(self, network: Network, feed: PictureFeed) -> FeatureFeed:
        maps = predicted(network.backbone, feed, self.place)
        return FeatureFeed(maps.half() if self.place.half else maps, feed.labels)

    def _board(self, name: str):  # noqa: ANN202 - a writer of rows, or none
        if self.talk.board is None or not self.place.is_first:
            return None
        from radcap.vision.training.boards import board_writer

        return board_writer(self.talk.board / name)


def _there(feed: Feed | None) -> Feed:
    if feed is None:
        raise AssertionError("training has images")
    return feed
