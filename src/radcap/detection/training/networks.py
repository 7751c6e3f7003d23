"""Train one network on one set of images.

Invariant: the same settings, data and seed give the same network on the same CPU.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.detection.examples import label_matrix
from radcap.detection.training.batches import check_batches
from radcap.detection.training.decoding import decoded_pictures, unheard
from radcap.detection.training.facts import label_facts
from radcap.detection.training.kept_networks import network_key
from radcap.detection.training.shelf import Shelf
from radcap.detection.training.starting import start_network
from radcap.detection.training.teachers import open_teacher
from radcap.formats import replacing
from radcap.vision.folding import fold
from radcap.vision.heads.pooling import AveragePool
from radcap.vision.losses import check_loss, make_loss
from radcap.vision.losses.curriculum import CurriculumLoss
from radcap.vision.settings import AugmentSettings
from radcap.vision.training import (
    CheckpointFolder,
    FeatureFeed,
    PictureFeed,
    board_writer,
    check_augment,
    difficulty_of,
    fit,
    fit_easy_first,
    predicted,
    while_compiling,
)
from radcap.vision.weight_files import round_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import nn

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptModel
    from radcap.detection.talk import Talk
    from radcap.vision.losses import Loss
    from radcap.vision.network import Network
    from radcap.vision.settings import TrainSettings
    from radcap.vision.training import EpochRow, Feed, Place, Teacher, Trained

__all__ = ["Trainer"]

_FEW, _MANY = 8, 256  # images a batch: on a CPU few, whose layers stay in its cache
_VIEWED = 64  # images at a time, for what is learnt without labels


@dataclass(frozen=True)
class Trainer:
    """What stays the same for every network of a model: its settings, labels, place and listener."""

    model: ConceptModel
    labels: tuple[Cui, ...]
    place: Place
    talk: Talk
    log: Path
    fingerprint: str
    shelf: Shelf = field(default_factory=lambda: Shelf(0))

    @cached_property
    def teacher(self) -> Teacher | None:
        return open_teacher(self.model, self.labels, self.place)

    def check(self) -> Network:
        """Refuse a backbone, weights, a loss or a teacher that will not do, before any image is decoded."""
        check_augment(self.model.image, self.model.backbone)
        network, _ = start_network(self.model, self.labels)
        check_loss(self.model.loss, network.head, self.model.teacher)
        _ = self.teacher
        return network

    def check_batches(self, network: Network, images: int) -> None:
        """Refuse batches that a network cannot learn from as a whole."""
        check_batches(network, self.model, images, self.place)

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
        network = self._started(feed)
        kept, model = self.shelf.networks, replace(self.model, train=settings)

        def train() -> Trained:
            return self._trained(network, feed, held, folder, settings)

        if kept is None or model.backbone.frozen or self.place.world > 1:  # a head takes seconds
            trained = train()
        else:
            key = network_key(model, self.labels, feed, held, self.place.device.type, kept.data)
            trained = kept.get(key, network, train, self.talk.waiting)
        self._tell(trained)
        round_weights(network)
        return network.eval(), trained

    def _trained(
        self,
        network: Network,
        feed: PictureFeed,
        held: PictureFeed | None,
        folder: Path,
        settings: TrainSettings,
    ) -> Trained:
        """Train a network that has its first weights."""
        module, learnt, judged = self._learnt(network, feed, held)
        loss = make_loss(self.model.loss, feed.labels.float().mean(dim=0))
        observe = self._observer(folder.name, settings.epochs)

        def phase(loss: Loss, settings: TrainSettings, name: str, before: int) -> Trained:
            return fit(
                module,
                learnt,
                loss,
                settings,
                self.place,
                held=judged,
                teacher=self.teacher,
                inside=network.head.teaches,
                folder=CheckpointFolder(folder.with_name(folder.name + name), self.fingerprint),
                observe=lambda row: observe(replace(row, epoch=row.epoch + before)),
            )

        if isinstance(loss, CurriculumLoss):
            hard = partial(difficulty_of, module, learnt, judged, self.place)
            return fit_easy_first(phase, loss, settings, hard)
        return phase(loss, settings, "", 0)

    def logits(self, network: Network, feed: PictureFeed) -> NDArray[np.float32]:
        """The network's scores for each image of a feed."""
        seen, frozen = self._seen(network, feed), self.model.backbone.frozen
        return predicted(network.head.score if frozen else network, seen, self.place).cpu().numpy()

    def vectors(self, network: Network, feed: PictureFeed) -> NDArray[np.float32]:
        """The network's vectors for each image of a feed."""
        seen, frozen = self._seen(network, feed), self.model.backbone.frozen
        return predicted(network.head.embed if frozen else network.embed, seen, self.place).cpu().numpy()

    def _started(self, feed: PictureFeed) -> Network:
        torch.manual_seed(self.model.train.seed)
        network, told = start_network(self.model, self.labels, label_facts(self.labels, feed.labels))
        if told:
            self.talk.tell(told)
        network.to(self.place.device)
        if self.model.backbone.weights == "none":
            network.backbone.learn(lambda: self._views(feed), self.model.train.seed)
        if self.model.backbone.frozen:  # as the head, and all that is fitted, shall know it
            round_weights(network.backbone)
        return network

    def _views(self, feed: PictureFeed) -> Iterator[torch.Tensor]:
        """The images of a feed as evaluation sees them, some at a time."""
        for start in range(0, len(feed), _VIEWED):
            places = torch.arange(start, min(start + _VIEWED, len(feed)), device=self.place.device)
            yield feed.batch(places, None)[0].float()

    def _learnt(
        self, network: Network, feed: PictureFeed, held: PictureFeed | None
    ) -> tuple[nn.Module, Feed, Feed | None]:
        """What is trained on what: the head on features where the backbone is frozen, else the whole."""
        judged = None if held is None else self._seen(network, held)
        return network.head if self.model.backbone.frozen else network, self._seen(network, feed), judged

    def _seen(self, network: Network, feed: PictureFeed) -> Feed:
        """What a network is shown: images, or the features of a frozen backbone, which stay the same."""
        if not self.model.backbone.frozen:
            return feed
        network.eval()
        return FeatureFeed(self._maps(network, feed), feed.labels)

    def _maps(self, network: Network, feed: PictureFeed) -> torch.Tensor:
        """The features of a frozen backbone; where its head wants no more than their mean, only that."""
        head, settings = network.head, self.model.backbone
        image = replace(self.model.image, augment=AugmentSettings())  # features are those of plain views
        maker, ids = (settings, image, self.place.device, self.place.precision), feed.pictures.ids

        def whole() -> torch.Tensor:
            return self._looked(network, feed, lambda maps: maps)

        def pooled() -> torch.Tensor:
            maps = shelf.find(maker, ids)  # of a head that wants more
            return self._looked(network, feed, _means) if maps is None else _means(maps)

        # weights of a seed and of these images are no other network's
        shelf = Shelf(0) if settings.is_drawn else self.shelf
        if head.looks_at_places or not isinstance(head.pool, AveragePool):
            return shelf.get(maker, ids, whole)
        return shelf.get((*maker, "pooled"), ids, pooled)

    def _looked(
        self, network: Network, feed: PictureFeed, use: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        """What is used of the feature maps of a backbone, which are forgotten a batch at a time."""
        quick = fold(deepcopy(network.backbone))
        batch = _FEW if self.place.device.type == "cpu" else _MANY
        kind = torch.float16 if self.place.half else torch.float32

        def look(images: torch.Tensor) -> torch.Tensor:
            return use(quick(images).to(kind))

        return predicted(look, feed, self.place, batch, kind)

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


def _means(maps: torch.Tensor) -> torch.Tensor:
    """Of each map, as a map of one place; summed in one order, however the maps lie in memory."""
    return maps.contiguous().mean(dim=(2, 3), keepdim=True)
