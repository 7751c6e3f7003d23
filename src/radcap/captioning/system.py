"""A caption system as a value: what a system file says, and nothing that is loaded or trained.

>>> CaptionSystem(name="mine", task="captions").decoder.kind
'transformer'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from radcap.captioning.blocks import EYELESS
from radcap.captioning.joining_settings import JoinSettings, RefineSettings, RerankSettings
from radcap.captioning.pretrained_settings import PretrainedSettings
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionLossSettings,
    CaptionTrainSettings,
    ConditionSettings,
    DecoderSettings,
    DetectorSettings,
    GenerateSettings,
    JointSettings,
    LanguageSettings,
    PostSettings,
    ScstSettings,
    TokenizerSettings,
)
from radcap.detection.calibration.config import Calibration
from radcap.detection.decisions.config import Decision
from radcap.detection.system import Known
from radcap.vision.settings import BackboneSettings, HeadSettings, ImageSettings

__all__ = [
    "OF_THE_WHOLE",
    "CaptionMember",
    "CaptionModel",
    "CaptionSystem",
    "alone",
    "caption_tables",
    "sees",
    "shared",
]

OF_THE_WHOLE = ("rerank", "refine", "post")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionModel:
    """The tables of one captioner."""

    data: CaptionDataSettings = field(default_factory=CaptionDataSettings)
    image: ImageSettings = field(default_factory=ImageSettings)
    backbone: BackboneSettings = field(default_factory=BackboneSettings)
    detector: DetectorSettings = field(default_factory=DetectorSettings)
    tokenizer: TokenizerSettings = field(default_factory=TokenizerSettings)
    decoder: DecoderSettings = field(default_factory=DecoderSettings)
    pretrained: PretrainedSettings = field(default_factory=PretrainedSettings)
    condition: ConditionSettings = field(default_factory=ConditionSettings)
    head: HeadSettings = field(default_factory=HeadSettings)  # of the joint tasks
    joint: JointSettings = field(default_factory=JointSettings)
    loss: CaptionLossSettings = field(default_factory=CaptionLossSettings)
    language: LanguageSettings = field(default_factory=LanguageSettings)
    train: CaptionTrainSettings = field(default_factory=CaptionTrainSettings)
    scst: ScstSettings = field(default_factory=ScstSettings)
    generate: GenerateSettings = field(default_factory=GenerateSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    refine: RefineSettings = field(default_factory=RefineSettings)
    calibration: Calibration = field(default_factory=Calibration)  # of the joint concepts
    decision: Decision = field(default_factory=Decision)  # of the joint concepts
    post: PostSettings = field(default_factory=PostSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionMember(CaptionModel):
    """`[[member]]`: another system by name or path, or a captioner in tables of its own."""

    name: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionSystem(CaptionModel):
    """A system file of the task captions.

    With members, its own tables are what members have in common, but for those that act on the joined caption
    (`OF_THE_WHOLE`): a member has such a table where it writes one.
    """

    name: str
    edition: str = ""
    team: str = ""
    task: Literal["captions"]
    source: str = ""  # where it is published
    family: str = ""  # what kind of system it is, in a few words
    known: Known = "paper"  # how much is public
    published: Mapping[str, float] = field(default_factory=dict[str, float])  # metric -> value
    need: int = 0  # what the published score needs: 0 nothing, 1 open weights, 2 gated ones, 3 a service
    needs: tuple[str, ...] = ()  # weights or services that must be had
    differs: str = ""  # from what was published, and where the paper is silent
    join: JoinSettings = field(default_factory=JoinSettings)
    member: tuple[CaptionMember, ...] = ()


def caption_tables(model: CaptionModel) -> dict[str, Any]:
    """The tables of a captioner by name, to make another of them."""
    return {one.name: getattr(model, one.name) for one in fields(CaptionModel)}


def shared(system: CaptionSystem) -> CaptionMember:
    """What a member is before it says anything."""
    common = {name: one for name, one in caption_tables(system).items() if name not in OF_THE_WHOLE}
    return CaptionMember(**common)


def alone(member: CaptionMember) -> CaptionSystem:
    """A resolved member as a system of its own."""
    return CaptionSystem(name=member.name, task="captions", **caption_tables(member))


def sees(model: CaptionModel) -> bool:
    """Whether its eyes give a vector of an image: a backbone's, or a detector's where there is one."""
    kind = model.decoder.kind
    return kind not in EYELESS or (kind == "chat" and model.detector.is_there)
