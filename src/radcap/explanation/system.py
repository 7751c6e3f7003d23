"""An explaining system as a value: what a system file says, and nothing that is loaded.

Invariant: `explain.kind` decides whose maps they are: those of the predicting model, or those of another one,
which say nothing about it.
>>> ExplainSystem(name="mine", task="explain").explain.method
'auto'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from radcap.explanation.external.settings import (
    EntitySettings,
    ProviderSettings,
    SegmenterSettings,
    SpatialSettings,
)
from radcap.vision.ranges import Range, check_ranges

__all__ = ["AUTO", "BoxSettings", "ExplainSettings", "ExplainSystem"]

AUTO = "auto"  # the method that suits the model
_CUT = Range(0, 1, "Give a number above 0 and below 1.", open_low=True, open_high=True)
_COUNT = Range(1, 100, "Give 1 to 100.")


@dataclass(frozen=True, slots=True)
class ExplainSettings:
    """`[explain]`: whose maps, and of what."""

    kind: Literal["model", "external"] = "model"
    method: str = AUTO  # model: a name of explanation.methods
    targets: tuple[str, ...] = ("all",)  # model: which statements


@dataclass(frozen=True, slots=True)
class BoxSettings:
    """`[boxes]`: from a map to boxes."""

    threshold: float = 0.5  # of the highest value
    most: int = 3

    def __post_init__(self) -> None:
        check_ranges(self, {"threshold": _CUT, "most": _COUNT})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainSystem:
    """A system file of the task explain."""

    name: str
    edition: str = ""
    team: str = ""
    task: Literal["explain"]
    source: str = ""  # where it is published
    published: Mapping[str, float] = field(default_factory=dict[str, float])  # item of the rating -> mean
    needs: tuple[str, ...] = ()  # models or services that must be had
    differs: str = ""  # from what was published
    explain: ExplainSettings = field(default_factory=ExplainSettings)
    boxes: BoxSettings = field(default_factory=BoxSettings)
    entities: EntitySettings = field(default_factory=EntitySettings)
    provider: ProviderSettings = field(default_factory=ProviderSettings)
    segmenter: SegmenterSettings = field(default_factory=SegmenterSettings)
    spatial: SpatialSettings = field(default_factory=SpatialSettings)
