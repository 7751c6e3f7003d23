"""How images reach a writer: a backbone that learns with it, or one that only looks.

Invariant: a backbone that only looks never changes; where images are varied, it looks anew at each of them,
else its features are computed once.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.captioning.models.eyes import Eyes
from radcap.detection.examples import label_matrix
from radcap.detection.training.decoding import decoded_pictures
from radcap.vision.backbones import make_backbone
from radcap.vision.pictures import View
from radcap.vision.settings import AugmentSettings
from radcap.vision.training import FeatureFeed, PictureFeed, predicted
from radcap.zoo import find
from radcap.zoo.finding import PREFIX

if TYPE_CHECKING:
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned
    from radcap.vision.backbones import Backbone
    from radcap.vision.pictures import Chance
    from radcap.vision.settings import ImageSettings
    from radcap.vision.training import Feed, Place

__all__ = ["Encoder", "GazeFeed", "make_encoder"]


@dataclass(frozen=True, eq=False)
class GazeFeed:
    """Features of varied images, by a backbone that only looks."""

    feed: PictureFeed
    backbone: Backbone
    place: Place

    @property
    def labels(self) -> torch.Tensor:
        return self.feed.labels

    def __len__(self) -> int:
        return len(self.feed)

    @torch.no_grad()
    def batch(self, places: torch.Tensor, chance: Chance | None) -> tuple[torch.Tensor, torch.Tensor]:
        images, labels = self.feed.batch(places, chance)
        with self.place.autocast():
            return self.backbone(images).float(), labels


@dataclass(frozen=True, eq=False)
class Encoder:
    """A backbone, the images it wants, and whether it learns."""

    backbone: Backbone
    image: ImageSettings
    learns: bool

    def eyes(self, maker: CaptionMaker) -> Eyes:
        """As a captioner looks that is asked, and not trained."""
        shared = maker.system.detector.share and maker.detector is not None
        view = View(replace(self.image, augment=AugmentSettings()))
        return Eyes(maker.place, view, None if shared else self.backbone.eval(), maker.detector)

    def feed(self, maker: CaptionMaker, captioned: Captioned) -> tuple[Feed, Captioned]:
        """What the trained part is fed, and the images that could be decoded, in one order."""
        where = maker.system.train.pixels
        pictures = decoded_pictures(captioned.images, self.image, maker.place, where=where, talk=maker.talk)
        kept = captioned.only(pictures.ids)
        truth = label_matrix(kept.images, maker.labels).astype(np.uint8)
        labels = torch.from_numpy(truth).to(maker.place.device)
        feed = PictureFeed(pictures, labels, maker.place.half)
        if self.learns:
            return feed, kept
        if self.image.augment != AugmentSettings():
            return GazeFeed(feed, self.backbone, maker.place), kept
        maps = predicted(self.backbone, feed, maker.place)
        return FeatureFeed(maps.half() if maker.place.half else maps, labels), kept


def make_encoder(maker: CaptionMaker) -> Encoder:
    """The detector's eyes, or a backbone with its first weights."""
    system = maker.system
    if system.detector.share and maker.detector is not None:
        theirs = maker.detector.view.settings
        image = replace(theirs, augment=system.image.augment)
        return Encoder(maker.detector.network.backbone, image, learns=False)
    settings = system.backbone
    if settings.weights.startswith(PREFIX):
        settings = replace(settings, weights=str(find(settings.weights)))
    torch.manual_seed(system.train.seed)  # so that one without weights is the same after a kill
    backbone = make_backbone(settings, size=system.image.size).to(maker.place.device)
    if settings.frozen:
        backbone.eval().requires_grad_(requires_grad=False)
    return Encoder(backbone, system.image, learns=not settings.frozen)
