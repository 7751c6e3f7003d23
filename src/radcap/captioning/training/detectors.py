"""The detector of a joint network, as a model folder of its own.

Invariant: it is the joint network's backbone and concept head, calibrated and decided on the held-out split
as any concept model is; so `radcap predict MODEL/concepts DATA` answers the concept task.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import torch

from radcap.captioning.building import JOINT
from radcap.detection.models.folder import ModelFolder
from radcap.detection.system import ConceptSystem, DataSettings
from radcap.detection.training.cards import model_card
from radcap.detection.training.judging import judge
from radcap.detection.training.networks import Trainer
from radcap.detection.training.parts import Parts
from radcap.vision.heads.bridged import BridgedHead
from radcap.vision.network import Network, make_network
from radcap.vision.settings import BackboneSettings, TrainSettings
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.stages import Taught
    from radcap.detection.training.judging import Judged
    from radcap.vision.heads import Head

__all__ = ["JointJudge", "write_detector"]

T = TypeVar("T")


class JointJudge:
    """Judges the concepts of a joint network before it is trained again on both splits."""

    def __init__(self, maker: CaptionMaker) -> None:
        self.maker = maker
        self.system = concept_system(maker.system)
        held = maker.parts.held
        self.parts = Parts(maker.parts.fit.images, None if held is None else held.images, maker.labels)

    @torch.no_grad()
    def judge(self, taught: Taught) -> Judged | None:
        """What the concept head says of the held-out images, out of fold."""
        if self.parts.held is None:
            return None
        maker = self.maker
        log = maker.folder.path / "log-concepts.csv"
        trainer = Trainer(self.system, maker.labels, maker.place, maker.talk, log, "")
        held = trainer.feed(self.parts.held)
        return judge(trainer, network_of(taught), held, held, self.parts)


def network_of(taught: Taught) -> Network:
    """Backbone and concept head, with the bridge between them where there is one."""
    head, bridge = cast("Head", taught.top.heads["concepts"]), taught.top.writer.bridge
    return Network(taught.encoder.backbone, head if bridge is None else BridgedHead(bridge, head)).eval()


def _names(system: ConceptSystem, labels: int) -> list[str]:
    """The weights of the network that settings describe; published eyes may hold some without a part."""
    with torch.device("meta"):
        made = make_network(system.backbone, system.head, labels, size=system.image.size, weights=False)
    return list(made.state_dict())


def concept_system(system: CaptionSystem) -> ConceptSystem:
    """The tables of a joint system that are about its concepts."""
    return ConceptSystem(
        name=f"{system.name}/concepts",
        task="concepts",
        data=_base(DataSettings, system.data),
        image=system.image,
        backbone=system.backbone,
        head=system.head,
        train=_base(TrainSettings, system.train),
        calibration=system.calibration,
        decision=system.decision,
    )


def _base(kind: type[T], value: T) -> T:
    """A table without what a caption system adds to it."""
    return kind(**{one.name: getattr(value, one.name) for one in fields(cast("Any", kind))})


def write_detector(maker: CaptionMaker, taught: Taught, judged: Judged | None) -> ModelFolder:
    """The folder `concepts` inside of the captioner's."""
    folder, system = maker.folder.concepts, concept_system(maker.system)
    bridge = taught.top.writer.bridge
    if bridge is not None:
        system = replace(system, head=replace(system.head, bridge=bridge.settings))
    if taught.encoder.published is not None:  # a published captioner's eyes, without which they can see
        eyes = BackboneSettings(name="hugging-face", tokens=True)
        system = replace(system, backbone=taught.encoder.backbone.settings_of(eyes))
    folder.path.mkdir(parents=True, exist_ok=True)
    folder.write_system(system)
    folder.write_labels(maker.labels, maker.label_names)
    folder.write_decision(*(None, None) if judged is None else judged.fitted)
    held = network_of(taught).state_dict()
    if taught.encoder.published is not None:
        held = {name: held[name] for name in _names(system, len(maker.labels))}
    write_weight_file(held, folder.weights)
    joint = {name: getattr(maker.system.joint, name) for name in ("caption", *JOINT)}
    facts = {"data": maker.parts.to_json(), "training": {"joint": joint, "stopped": taught.stopped}}
    folder.write_card(model_card(system, maker.labels, facts, judged))
    return folder
