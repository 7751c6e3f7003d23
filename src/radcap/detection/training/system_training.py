"""Train a whole system: a model, or the members of an ensemble and the rule that joins them.

Invariant: what can be refused is refused before anything is trained. Members are trained one after another,
each into its own folder, so a kill costs no more than the member at work.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from radcap.core import UsageError
from radcap.detection.models.folder import ModelFolder
from radcap.detection.system import ConceptSystem, models, tables
from radcap.detection.talk import SILENT, Talk
from radcap.detection.training.beginning import begin
from radcap.detection.training.joining import check_joining, join
from radcap.detection.training.one_model import ModelMaker, train_model
from radcap.detection.training.parts import Parts
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.detection.models.answers import Answers
    from radcap.detection.system import Member

__all__ = ["train_system"]


def train_system(system: ConceptSystem, dataset: Dataset, out: Path, talk: Talk = SILENT) -> ModelFolder:
    """Train a resolved system into a folder, which may hold what an earlier try left there."""
    folder, place = ModelFolder(out), pick_place(system.train.device, system.train.precision)
    parts = {name: Parts.of(dataset, model.data) for name, model in models(system).items()}
    _check_folders(system, folder)
    check_joining(system, parts)
    if place.is_first:
        begin(folder, _fingerprint(system, parts))
    else:
        talk = SILENT  # one of several processes speaks
    if not system.member:
        train_model(ModelMaker(system, parts[system.name], folder, place, talk, dataset.names))
        return folder
    told: dict[str, Answers | None] = {}
    for number, member in enumerate(system.member, 1):
        talk.tell(f"Member {number} of {len(system.member)}: {member.name}")
        own = folder.member(member.name)
        maker = ModelMaker(_alone(member), parts[member.name], own, place, talk, dataset.names)
        told[member.name] = train_model(maker)
    if place.is_first:
        join(system, dataset, folder, told, talk)
    return folder


def _alone(member: Member) -> ConceptSystem:
    return ConceptSystem(name=member.name, task="concepts", **tables(member))


def _check_folders(system: ConceptSystem, folder: ModelFolder) -> None:
    places = [folder.member(one.name).path.name.casefold() for one in system.member]
    twice = [one.name for one, place in zip(system.member, places, strict=True) if places.count(place) > 1]
    if twice:
        raise UsageError(f"The members {', '.join(twice)} would share a folder. Give them other names.")


def _fingerprint(system: ConceptSystem, parts: Mapping[str, Parts]) -> str:
    """Of everything that is trained, in order, and of what joins it."""
    digest = hashlib.sha256(repr(system.ensemble).encode())
    for name, model in models(system).items():
        digest.update(f"{name}\n{parts[name].fingerprint(model)}\n".encode())
    return digest.hexdigest()
