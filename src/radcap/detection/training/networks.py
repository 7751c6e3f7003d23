"""Train one network on one set of images.

Invariant: the same settings, data and seed give the same network on the same CPU.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.detection.examples import label_matrix
from radcap.detection.training.decoding import decoded_pictures, unheard
from radcap.detection.training.starting import start_network
from radcap.detection.training.teachers import open_teacher
from radcap.formats import replacing
from radcap.vision.losses import make_loss
from radcap.vision.training import (
    CheckpointFolder,
    FeatureFeed,
    PictureFeed,
    board_writer,
    fit,
    predicted,
    while_compiling,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import nn

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptModel
    from radcap.detection.talk import Talk
    from radcap.vision.network import Network
    from radcap.vision.training import EpochRow, Feed, Place, Teacher, Trained

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

    @cached_property
    def teacher(self) -> Teacher | None:
        return open_teacher(self.model, self.labels, self.place)

    def check(self) -> Network:
        """Refuse a backbone, weights or a teacher that will not do, before any image is decoded."""
        network, _ = start_network(self.model, self.labels)
        _ = self.teacher
        return network

    def feeds(
        self, network: Network, fit: Dataset, held: Dataset | None
    ) -> tuple[PictureFeed, PictureFeed | None]:
        """The images to learn from and those held out; a network like this one is compiled meanwhile."""

        def decoded(look_up: Callable[[], None]) -> tuple[PictureFeed, PictureFeed | None]:
            judged = None if held is None else self.feed(held, look_up)
            return self.feed(fit, look_up), judged

        if self.model.backbone.frozen:  # only its head is trained
            return decoded(unheard)
        size, images = self.model.image.size, len(fit)
        return while_compiling(decoded, network, self.model.train, self.place, size=size, images=images)

    def feed(self, dataset: Dataset, look_up: Callable[[], None] = unheard) -> PictureFeed:
        """The images of a dataset with their labels. Images that will not decode are left out and named.

        `look_up` is called now and then while they are decoded.
        """
        model = self.model
        pictures = decoded_pictures(
            dataset, model.image, self.place, where=model.train.pixels, talk=self.talk, look_up=look_up
        )
        place = {one: row for row, one in enumerate(dataset.ids)}
        truth = label_matrix(dataset, self.labels)[[place[one] for one in pictures.ids]]
        labels = torch.from_numpy(truth.astype(np.uint8)).to(self.place.device)
        return PictureFeed(pictures, labels, self.place.half)

    def train(
        self, feed: PictureFeed, held: PictureFeed | None, folder: Path, *, alone: bool = False
    ) -> tuple[Network, Trained]:
        """A network from its first weights. `alone`: no epoch is chosen, since nothing is held out."""
        settings = replace(self.model.train, keep="last", early_stop=0) if alone else self.model.train
        network = self._started()
        module, learnt, judged = self._learnt(network, feed, held)
        trained = fit(
            module,
            learnt,
            make_loss(self.model.loss, feed.labels.float().mean(dim=0)),
            settings,
            self.place,
            held=judged,
            teacher=self.teacher,
            folder=CheckpointFolder(folder, self.fingerprint),
            observe=self._observer(folder.name, settings.epochs),
        )
        self._tell(trained)
        return network.eval(), trained

    def logits(self, network: Network, feed: Feed) -> NDArray[np.float32]:
        """The network's scores for each image of a feed."""
        return predicted(network, feed, self.place).cpu().numpy()

    def vectors(self, network: Network, feed: Feed) -> NDArray[np.float32]:
        """The network's vectors for each image of a feed."""
        return predicted(network.embed, feed, self.place).cpu().numpy()

    def _started(self) -> Network:
        torch.manual_seed(self.model.train.seed)
        network, told = start_network(self.model, self.labels)
        if told:
            self.talk.tell(told)
        return network.to(self.place.device)

    def _learnt(
        self, network: Network, feed: PictureFeed, held: PictureFeed | None
    ) -> tuple[nn.Module, Feed, Feed | None]:
        """What is trained on what: the head on features where the backbone is frozen, else the whole."""
        if not self.model.backbone.frozen:
            return network, feed, held
        network.eval()
        judged = None if held is None else self._features(network, held)
        return network.head, self._features(network, feed), judged

    def _features(self, network: Network, feed: PictureFeed) -> FeatureFeed:
        maps = predicted(network.backbone, feed, self.place)
        return FeatureFeed(maps.half() if self.place.half else maps, feed.labels)

    def _observer(self, name: str, epochs: int) -> Callable[[EpochRow], None]:
        """What hears of each epoch, in the first process alone."""
        board = self.talk.board
        draw = board_writer(board / name) if board is not None and self.place.is_first else None

        def observe(row: EpochRow) -> None:
            self.talk.epoch(row, epochs)
            if draw is not None:
                draw(row)

        return observe

    def _tell(self, trained: Trained) -> None:
        if self.place.is_first:
            with replacing(self.log) as part:
                part.write_text(trained.history.to_csv(), encoding="utf-8")
        if trained.stopped == "no number":
            self.talk.tell(
                f"The loss became no number after epoch {len(trained.history.rows)}: training ends with the"
                " last good weights. Lower [train] lr, or set clip_grad."
            )
