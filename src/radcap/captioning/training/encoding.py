"""How images reach a writer: a backbone that learns with it, or one that only looks.

Invariant: a backbone that only looks never changes; where images are varied, it looks anew at each of them,
else its features are computed once, if there is room for all.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.captioning.models.eyes import Eyes
from radcap.captioning.pretrained import has_own_eyes, open_published
from radcap.detection.examples import label_matrix
from radcap.detection.training.decoding import decoded_pictures
from radcap.vision.backbones import make_backbone
from radcap.vision.pictures import View
from radcap.vision.settings import AugmentSettings
from radcap.vision.training import FeatureFeed, PictureFeed, predicted
from radcap.vision.training.memory import free_memory
from radcap.zoo import find
from radcap.zoo.finding import PREFIX

if TYPE_CHECKING:
    from radcap.captioning.pretrained import Published
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned
    from radcap.vision.backbones import Backbone
    from radcap.vision.pictures import Chance
    from radcap.vision.settings import ImageSettings
    from radcap.vision.training import Feed, Place

__all__ = ["Encoder", "GazeFeed", "make_encoder"]

_SPARE = 0.4  # of the memory that is free may be taken by maps


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
    """A backbone, the images it wants, and whether it learns; `published` is the captioner it is of."""

    backbone: Backbone
    image: ImageSettings
    learns: bool
    published: Published | None = None

    def eyes(self, maker: CaptionMaker) -> Eyes:
        """As a captioner looks that is asked, and not trained."""
        shared = maker.detector is not None and maker.system.detector.share
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
        if self.image.augment != AugmentSettings() or not self._has_room(feed, maker.place):
            return GazeFeed(feed, self.backbone, maker.place), kept
        maps = predicted(self.backbone, feed, maker.place)
        return FeatureFeed(maps.half() if maker.place.half else maps, labels), kept

    @torch.no_grad()
    def _has_room(self, feed: PictureFeed, place: Place) -> bool:
        """Whether the maps of all images can be held at once."""
        images, _ = feed.batch(torch.arange(min(len(feed), 1), device=place.device), None)
        with place.autocast():
            numbers = self.backbone(images).numel() * len(feed)
        return numbers * (2 if place.half else 4) < free_memory(place.device) * _SPARE


def make_encoder(maker: CaptionMaker) -> Encoder:
    """The detector's eyes, or a backbone with its first weights."""
    system = maker.system
    if maker.detector is not None and system.detector.share:
        theirs = maker.detector.view.settings
        image = replace(theirs, augment=system.image.augment)
        return Encoder(maker.detector.network.backbone, image, learns=False)
    if has_own_eyes(system):
        return _published(maker)
    settings = system.backbone
    if settings.weights.startswith(PREFIX):
        settings = replace(settings, weights=str(find(settings.weights)))
    torch.manual_seed(system.train.seed)  # so that one without weights is the same after a kill
    backbone = make_backbone(settings, size=system.image.size).to(maker.place.device)
    if settings.frozen:
        backbone.eval().requires_grad_(requires_grad=False)
    return Encoder(backbone, system.image, learns=not settings.frozen)


def _published(maker: CaptionMaker) -> Encoder:
    """The eyes of the published captioner, which learn unless all of their weights are frozen."""
    system = maker.system
    torch.manual_seed(system.train.seed)  # cross-attention may be new
    published = open_published(system)
    backbone = published.eyes.to(maker.place.device)
    learns = any(one.requires_grad for one in backbone.parameters())
    return Encoder(backbone if learns else backbone.eval(), system.image, learns, published)
