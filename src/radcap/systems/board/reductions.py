"""What a scale does to any model that looks at images: networks that can be had, fewer pixels and epochs.

Invariant: whatever is changed is told, each change once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from radcap.systems.board.scales import stand_in
from radcap.vision.backbones.timm_networks import is_network
from radcap.vision.blocks import BACKBONES
from radcap.vision.settings import AugmentSettings

if TYPE_CHECKING:
    from collections.abc import Collection

    from radcap.captioning.system import CaptionModel
    from radcap.detection.system import ConceptModel
    from radcap.systems.board.scales import Scale
    from radcap.vision.settings import BackboneSettings

__all__ = ["cut_short", "is_spared", "with_stand_ins"]

Looking = TypeVar("Looking", bound="ConceptModel | CaptionModel")
_HUB = ("hugging-face", "open-clip")


def is_spared(model: ConceptModel | CaptionModel, scale: Scale) -> bool:
    """Whether it is trained as its file says, since its networks need no stand-in."""
    leaves = model.backbone.part or (model.backbone,)
    return scale.spares_packaged and all(one.weights == "package" for one in leaves)


def with_stand_ins(model: Looking, scale: Scale, told: dict[str, None]) -> Looking:
    """A network whose weights can be had, frozen where the scale says so."""
    backbone, image = _stood_in(model.backbone, told), model.image
    if not backbone.is_from_nothing and scale.frozen and not backbone.frozen:
        told["frozen"] = None
        backbone = replace(backbone, frozen=True)
        if image.augment != AugmentSettings():  # a frozen network sees each image once
            told["no augmentation"] = None
            image = replace(image, augment=AugmentSettings())
    return replace(model, backbone=backbone, image=image)


def _stood_in(
    backbone: BackboneSettings, told: dict[str, None], beside: Collection[str] = ()
) -> BackboneSettings:
    """The network, or each part of it, with weights that come as a package in the place of a hub's.

    What stands side by side differs as far as there are different networks: `beside` names the others.
    """
    parts: list[BackboneSettings] = []
    for one in backbone.part:
        parts.append(_stood_in(one, told, [other.name for other in parts]))
    backbone = replace(backbone, part=tuple(parts))
    if not is_network(backbone.name):  # a mistake stays as it is, so that it is found
        return backbone
    if backbone.weights == "none" and backbone.name not in BACKBONES.table:
        name = stand_in(backbone.name)
        told[f"{_short_name(name)} from nothing for {backbone.name}"] = None
        backbone = replace(backbone, name=name)
    if backbone.weights == "timm" or backbone.name in _HUB:
        name = stand_in(backbone.name, beside)
        published = backbone.weights if backbone.name in _HUB else backbone.name.partition(".")[0]
        told[f"{_short_name(name)} for {published}"] = None
        backbone = replace(backbone, name=name, weights="package", geometry="", pooled=False, tokens=False)
    return backbone


def _short_name(name: str) -> str:
    return name.removeprefix("tf_").replace("efficientnet_lite", "Lite")


def cut_short(model: Looking, scale: Scale, told: dict[str, None]) -> Looking:
    """Smaller images, fewer epochs, larger batches."""
    train, scratch = model.train, model.backbone.is_from_nothing and not model.backbone.frozen
    size = min(model.image.size, scale.scratch_size if scratch else scale.size)
    epochs = min(train.epochs, scale.scratch_epochs if scratch else scale.epochs)
    if size < model.image.size:
        told[f"{size} pixels for {model.image.size}"] = None
    if epochs < train.epochs:
        told[f"{epochs} epochs for {train.epochs}"] = None
    rate = train.lr if scratch else max(train.lr, scale.rate)
    if rate > train.lr and epochs:
        told[f"rate {rate:g} for {train.lr:g}"] = None
    batch = max(train.batch, scale.batch)
    if batch > train.batch and epochs:
        told[f"batches of {batch} for {train.batch}"] = None
    train = replace(train, epochs=epochs, lr=rate, batch=batch, compile=False)
    return replace(model, image=replace(model.image, size=size), train=train)
