"""The network that training begins with.

Invariant: a model of the same labels and head is taken over whole; of any other, the backbone alone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import UsageError
from radcap.detection.models.folder import ModelFolder
from radcap.detection.models.opening import load_network
from radcap.vision.network import make_network
from radcap.zoo import find
from radcap.zoo.finding import PREFIX

if TYPE_CHECKING:
    from radcap.core import Cui
    from radcap.detection.system import ConceptModel
    from radcap.vision.heads import LabelFacts
    from radcap.vision.network import Network
    from radcap.vision.settings import BackboneSettings

__all__ = ["start_network"]


def start_network(
    model: ConceptModel, labels: tuple[Cui, ...], facts: LabelFacts | None = None
) -> tuple[Network, str]:
    """The network with its first weights, and a sentence on where they come from, if there is much to say.

    A new head meets the labels by `facts`.
    """
    folder, told = _folder(model.backbone.weights), ""
    backbone = _described(model.backbone)
    if folder is not None:
        model = replace(model, backbone=backbone)
        if _is_alike(folder, model, labels):
            return load_network(folder, model, len(labels)), f"Begins with the whole of {folder.path}"
        told = f"Begins with the backbone of {folder.path}: its labels or its head are others"
    network = make_network(backbone, model.head, len(labels), size=model.image.size)
    if facts is not None:
        network.head.meet(facts)
    return network, told


def _described(backbone: BackboneSettings) -> BackboneSettings:
    """With the paths of model folders. What a published folder described is what it was there."""
    folder = _folder(backbone.weights)
    if folder is None:
        return replace(backbone, part=tuple(map(_described, backbone.part)))
    theirs = folder.system().backbone
    part = theirs.part if _shape(theirs) == _shape(backbone) else backbone.part
    return replace(backbone, weights=str(folder.path), geometry=theirs.geometry, part=part)


def _shape(backbone: BackboneSettings) -> tuple[object, ...]:
    """What says which network it is."""
    return (backbone.name, backbone.pooled, backbone.tokens, *map(_shape, backbone.part))


def _folder(weights: str) -> ModelFolder | None:
    """The model folder that is meant, where one is."""
    path = find(weights) if weights.startswith(PREFIX) else Path(weights)
    folder = ModelFolder(path)
    if not folder.is_whole:
        return None
    folder.check()
    members = folder.system().member
    if members:
        names = ", ".join(str(folder.member(one.name).path) for one in members)
        raise UsageError(f"[backbone] weights is {path}, an ensemble. Name one of its members: {names}.")
    return folder


def _is_alike(folder: ModelFolder, model: ConceptModel, labels: tuple[Cui, ...]) -> bool:
    """The shapes of a head follow from these settings and the labels."""
    theirs, ours = folder.system(), model
    return (
        folder.labels() == labels
        and _shape(theirs.backbone) == _shape(ours.backbone)
        and theirs.head == ours.head
    )
