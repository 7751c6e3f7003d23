"""The models that a student learns from, over the student's labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import torch

from radcap.core import UsageError
from radcap.detection.models.folder import ModelFolder
from radcap.detection.models.opening import load_network
from radcap.vision.training import Teacher
from radcap.zoo import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from radcap.core import Cui
    from radcap.detection.system import ConceptModel
    from radcap.vision.network import Network
    from radcap.vision.training import Place

__all__ = ["open_teacher"]

_WITHOUT_A_HEAD = {"retrieval": "its neighbours", "learner": "a classic learner", "text": "words"}

Looker: TypeAlias = "tuple[Callable[[torch.Tensor], torch.Tensor], int]"  # a network, and its size of image


def open_teacher(model: ConceptModel, labels: tuple[Cui, ...], place: Place) -> Teacher | None:
    """The teacher of a system file, or None where it names none."""
    settings = model.teacher
    if not settings.models:
        return None
    if model.backbone.frozen:
        raise UsageError(
            "[teacher] answers to the images a student sees, and a frozen backbone sees each once."
            " Delete [teacher], or set [backbone] frozen = false."
        )
    networks = [one for name in settings.models for one in _opened(ModelFolder(find(name)), labels, place)]
    return Teacher(networks, settings.weight, settings.temperature)


def _opened(folder: ModelFolder, labels: tuple[Cui, ...], place: Place) -> Iterator[Looker]:
    """The networks of a folder: itself, or its members."""
    folder.check()
    system = folder.system()
    if system.member:
        for member in system.member:
            yield from _opened(folder.member(member.name), labels, place)
        return
    for way, how in _WITHOUT_A_HEAD.items():
        if getattr(system, way) is not None:
            raise UsageError(
                f"The teacher {folder.path} answers by {how} ([{way}]), not by the head of a network, and a"
                " student learns from that. Name a model with a head that was trained."
            )
    known = {cui: number for number, cui in enumerate(folder.labels())}
    lacking = [cui for cui in labels if cui not in known]
    if lacking:
        raise UsageError(
            f"The teacher {folder.path} does not know {len(lacking):,} of the student's {len(labels):,}"
            f" labels, {lacking[0]} first. A teacher must have been trained on the same labels."
        )
    network = load_network(folder, system, len(known))
    network.to(place.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    yield (
        _picked(network, torch.tensor([known[cui] for cui in labels], device=place.device)),
        system.image.size,
    )


def _picked(network: Network, columns: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    def look(images: torch.Tensor) -> torch.Tensor:
        return network(images)[:, columns]

    return look
