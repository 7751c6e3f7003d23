"""Train a whole system: a model, or the members of an ensemble and the rule that joins them.

Invariant: what can be refused is refused before anything is trained. Members are trained one after another,
each into its own folder, so a kill costs no more than the member at work.
"""

from __future__ import annotations

import hashlib
import shutil
from functools import cache
from typing import TYPE_CHECKING

from radcap.detection.models.folder import ModelFolder
from radcap.detection.system import ConceptSystem, models, tables
from radcap.detection.talk import SILENT, Talk
from radcap.detection.training.beginning import begin, check_names
from radcap.detection.training.contents import pixels_digest
from radcap.detection.training.joining import check_joining, join
from radcap.detection.training.one_model import ModelMaker, train_model
from radcap.detection.training.parts import Parts
from radcap.detection.training.shelf import Shelf
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.detection.models.answers import Answers
    from radcap.detection.system import Member

__all__ = ["leave_networks", "train_system"]

_SHELF_BYTES = 2 * 2**30


def train_system(
    system: ConceptSystem, dataset: Dataset, out: Path, talk: Talk = SILENT, shelf: Shelf | None = None
) -> ModelFolder:
    """Train a resolved system into a folder, which may hold what an earlier try left there.

    Features of frozen backbones are kept on the shelf: bring one to keep them from system to system.
    """
    shelf = shelf or Shelf(_SHELF_BYTES)
    folder, place = ModelFolder(out), pick_place(system.train.device, system.train.precision)
    parts = _parts(system, dataset, shelf)
    talk = talk if place.is_first else SILENT  # one of several processes speaks
    check_names(system.name, [one.name for one in system.member], folder)
    check_joining(system, parts)

    def maker(model: ConceptSystem, where: ModelFolder) -> ModelMaker:
        return ModelMaker(model, parts[model.name], where, place, talk, dataset.names, shelf)

    makers = {one.name: maker(_alone(one), folder.member(one.name)) for one in system.member}
    makers = makers or {system.name: maker(system, folder)}
    for one in {_look(one.system): one for one in makers.values()}.values():  # alike ones once
        one.check()
    if place.is_first:
        begin(folder, _fingerprint(system, parts))
    if not system.member:
        train_model(makers[system.name])
        return folder
    told: dict[str, Answers | None] = {}
    for number, (name, one) in enumerate(makers.items(), 1):
        talk.tell(f"Member {number} of {len(makers)}: {name}")
        told[name] = train_model(one)
    if place.is_first:
        join(system, dataset, folder, told, talk)
    return folder


def leave_networks(member: Member, dataset: Dataset, out: Path, talk: Talk, shelf: Shelf) -> None:
    """Train the networks of one member and leave them on the shelf, from where its ensemble takes them.

    `out` holds what an unfinished training needs to go on, and nothing at the end.
    """
    model, folder = _alone(member), ModelFolder(out)
    parts = _parts(model, dataset, shelf)[model.name]
    place = pick_place(model.train.device, model.train.precision)
    begin(folder, parts.fingerprint(model))
    ModelMaker(model, parts, folder, place, talk, dataset.names, shelf).leave_networks()
    shutil.rmtree(out)


def _parts(system: ConceptSystem, dataset: Dataset, shelf: Shelf) -> dict[str, Parts]:
    """What each model is made from. A shelf of networks knows the data; else images are read, and once."""
    every, networks = models(system), shelf.networks
    splits = {one for model in every.values() for one in (model.data.fit, model.data.held)}

    @cache
    def pixels() -> str:
        return pixels_digest(dataset, sorted(splits)) if networks is None else networks.data

    return {name: Parts.of(dataset, model.data, model.train.seed, pixels) for name, model in every.items()}


def _look(model: ConceptSystem) -> str:
    """What decides whether a member can be had."""
    network = (model.data, model.image.size, model.backbone, model.head, model.loss, model.train.batch)
    return repr((network, model.teacher, model.text))


def _alone(member: Member) -> ConceptSystem:
    return ConceptSystem(name=member.name, task="concepts", **tables(member))


def _fingerprint(system: ConceptSystem, parts: Mapping[str, Parts]) -> str:
    """Of everything that is trained, in order, and of what joins it."""
    digest = hashlib.sha256(repr(system.ensemble).encode())
    for name, model in models(system).items():
        digest.update(f"{name}\n{parts[name].fingerprint(model)}\n".encode())
    return digest.hexdigest()
