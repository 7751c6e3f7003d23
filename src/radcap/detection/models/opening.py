"""Open a model folder, whatever kind of model it holds.

Invariant: parts that do not fit each other are refused before an image is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch

from radcap.core import Missing
from radcap.detection.learners import load_learner
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.models.folder import ModelFolder
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.retrieval import load_index
from radcap.vision.folding import fold
from radcap.vision.network import make_network
from radcap.vision.pictures import View
from radcap.vision.training.devices import pick_place
from radcap.vision.weight_files import read_weight_file
from radcap.zoo import find

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.decisions import CountRescue
    from radcap.detection.models.answers import Answers
    from radcap.detection.retrieval import NeighbourIndex
    from radcap.detection.system import ConceptModel
    from radcap.vision.network import Network
    from radcap.vision.training.devices import Place

__all__ = ["Model", "load_network", "open_model", "open_network"]


class Model(Protocol):
    """What answers."""

    @property
    def labels(self) -> tuple[Cui, ...]: ...
    @property
    def names(self) -> Mapping[Cui, str]: ...
    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> Answers: ...


def open_model(model: str | Path, device: str = "auto") -> Model:
    """A model by `zoo:NAME` or by its folder."""
    folder, place = ModelFolder(find(model)), pick_place(device)
    folder.check()
    system = folder.system()
    if not system.member:
        return _open_one(folder, place)
    members = {one.name: _open_one(folder.member(one.name), place) for one in system.member}
    names = folder.names()
    rescue = _rescue(folder, system.member)
    return EnsembleModel(members, system.ensemble, tuple(names), names, *folder.decision(), rescue)


def _open_one(folder: ModelFolder, place: Place) -> Model:
    """A model folder without members: one that looks, or one that goes by words."""
    system = folder.system()
    if system.text is None:
        return open_network(folder, place)
    from radcap.detection.text.model import open_text_model

    return open_text_model(folder, place)


def open_network(folder: ModelFolder, place: Place) -> NetworkModel:
    """A model folder without members, ready to answer."""
    folder.check()
    system, names = folder.system(), folder.names()
    calibrator, rule = folder.decision()
    network = fold(load_network(folder, system, len(names)))
    network.to(place.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    return NetworkModel(
        labels=tuple(names),
        names=names,
        network=network,
        view=View(system.image),
        place=place,
        calibrator=calibrator,
        rule=rule,
        retrieval=system.retrieval,
        index=None if system.retrieval is None else _index(folder, network.backbone.width),
        gate=_gate(folder, network.backbone.width),
        learner=None
        if system.learner is None
        else load_learner(system.learner, folder.learner, network.backbone.width, len(names)),
        rescue=_rescue(folder, [system]),
    )


def _rescue(folder: ModelFolder, models: Sequence[ConceptModel]) -> CountRescue | None:
    """What adds labels by a count, of models of which one at least counts."""
    rescue = folder.rescue()
    if rescue is not None and not any(one.head.count for one in models):
        raise folder.broken("decision.json", "it rescues by a count, and no head counts")
    return rescue


def load_network(folder: ModelFolder, model: ConceptModel, labels: int) -> Network:
    """The network of a folder with its weights, as it was trained."""
    network = make_network(model.backbone, model.head, labels, size=model.image.size, weights=False)
    held, wanted = read_weight_file(folder.weights), network.state_dict()
    wrong = [name for name in wanted if name not in held or held[name].shape != wanted[name].shape]
    wrong += [name for name in held if name not in wanted]
    if wrong:
        why = f"it does not fit system.toml and labels.csv beside it: {wrong[0]} is another"
        raise folder.broken(folder.weights.name, why)
    network.load_state_dict(held)
    return network.eval()


def _index(folder: ModelFolder, width: int) -> NeighbourIndex:
    name = folder.neighbours.name
    try:
        index = load_index(folder.neighbours)
    except Missing as error:
        raise folder.broken(name, str(error).rstrip(".")) from error
    if index.labels != folder.labels() or index.width != width:
        raise folder.broken(name, "its labels or vectors are those of another model")
    return index


def _gate(folder: ModelFolder, width: int) -> tuple[torch.Tensor, float] | None:
    if not folder.gate.exists():
        return None
    held = read_weight_file(folder.gate)
    shapes = {name: value.numel() for name, value in held.items()}
    if shapes != {"weight": width, "bias": 1}:
        raise folder.broken(folder.gate.name, f"it has no weight for each of {width:,} features and one bias")
    return held["weight"].float().flatten(), float(held["bias"])
