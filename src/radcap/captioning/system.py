"""A caption system as a value: what a system file says, and nothing that is loaded or trained.

>>> CaptionSystem(name="mine", task="captions").decoder.kind
'transformer'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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
from radcap.vision.settings import BackboneSettings, HeadSettings, ImageSettings

__all__ = ["CaptionSystem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionSystem:
    """A system file of the task captions."""

    name: str
    edition: str = ""
    team: str = ""
    task: Literal["captions"]
    source: str = ""  # where it is published
    published: Mapping[str, float] = field(default_factory=dict[str, float])  # metric -> value
    needs: tuple[str, ...] = ()  # weights or services that must be had
    differs: str = ""  # from what was published, and where the paper is silent
    data: CaptionDataSettings = field(default_factory=CaptionDataSettings)
    image: ImageSettings = field(default_factory=ImageSettings)
    backbone: BackboneSettings = field(default_factory=BackboneSettings)
    detector: DetectorSettings = field(default_factory=DetectorSettings)
    tokenizer: TokenizerSettings = field(default_factory=TokenizerSettings)
    decoder: DecoderSettings = field(default_factory=DecoderSettings)
    condition: ConditionSettings = field(default_factory=ConditionSettings)
    head: HeadSettings = field(default_factory=HeadSettings)  # of the joint tasks
    joint: JointSettings = field(default_factory=JointSettings)
    loss: CaptionLossSettings = field(default_factory=CaptionLossSettings)
    language: LanguageSettings = field(default_factory=LanguageSettings)
    train: CaptionTrainSettings = field(default_factory=CaptionTrainSettings)
    scst: ScstSettings = field(default_factory=ScstSettings)
    generate: GenerateSettings = field(default_factory=GenerateSettings)
    calibration: Calibration = field(default_factory=Calibration)  # of the joint concepts
    decision: Decision = field(default_factory=Decision)  # of the joint concepts
    post: PostSettings = field(default_factory=PostSettings)
