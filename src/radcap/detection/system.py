"""A concept system as a value: what a system file says, and nothing that is loaded or trained.

Invariant: every table has a default, so a file says only what is its own. A member of an ensemble is a model
with the same tables; what it does not say, the tables of its file say.
>>> ConceptSystem(name="mine", task="concepts").train.epochs
20
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from radcap.core import UsageError
from radcap.detection.calibration.config import Calibration
from radcap.detection.decisions.config import Decision
from radcap.detection.decisions.rescue_config import Rescue
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.learners.config import Learner
from radcap.detection.retrieval.config import Retrieval
from radcap.detection.text.config import Text
from radcap.vision.ranges import SEED, problems
from radcap.vision.settings import (
    RATE,
    BackboneSettings,
    HeadSettings,
    ImageSettings,
    LossSettings,
    TeacherSettings,
    TrainSettings,
)

Known: TypeAlias = Literal["paper", "code", "abstract", "title", "nothing"]

__all__ = [
    "WAYS",
    "ConceptModel",
    "ConceptSystem",
    "DataSettings",
    "Member",
    "SearchSettings",
    "models",
    "tables",
]

WAYS = ("retrieval", "learner", "text")  # tables of what answers in place of the head


@dataclass(frozen=True, slots=True)
class DataSettings:
    """`[data]`: which images and labels are learnt from."""

    concepts: Literal["all", "manual", "automatic"] = "all"
    min_count: int = 1  # labels with fewer training images are left out
    top: int = 0  # only so many of the most frequent labels; 0 is all
    free_only: bool = False  # only rows whose licence has neither NC nor SA terms
    without_sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()  # only labels of these semantic groups (ANAT, DISO, PROC ...); none is all
    monte_carlo: float = 0.0  # the part of the training groups, by lot, that epochs are chosen on
    fit: str = "train"  # the split that is learnt from
    held: str = "valid"  # the split that choices are made on

    def __post_init__(self) -> None:
        if self.min_count < 1:
            raise UsageError(f"min_count is {self.min_count}. It counts images of a label: give 1 or more.")
        if self.top < 0:
            raise UsageError(f"top is {self.top}. It counts labels: give 1 or more, or 0 for all.")
        if not 0 <= self.monte_carlo < 1:
            raise UsageError(f"monte_carlo is {self.monte_carlo}. Give 0, or a part below 1.")
        if self.fit == self.held:
            raise UsageError(f"fit and held are both {self.fit!r}. Choices need images that were not learnt.")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """`[search]`: a grid that is tried on the held-out split; the best is trained again."""

    lr: tuple[float, ...] = ()
    optimiser: tuple[Literal["adam", "adamw", "sgd", "rmsprop", "adafactor"], ...] = ()
    metric: Literal["f1"] = "f1"

    def __post_init__(self) -> None:
        wrong = [one for one in self.lr if one not in RATE]
        if wrong:
            raise UsageError(f"lr holds {wrong[0]}. {RATE.wanted}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptModel:
    """The tables of one model. Where `retrieval` is there, neighbours answer in place of the head; with
    `learner` a classic model does, and with `text` no network looks at all."""

    data: DataSettings = field(default_factory=DataSettings)
    image: ImageSettings = field(default_factory=ImageSettings)
    backbone: BackboneSettings = field(default_factory=BackboneSettings)
    head: HeadSettings = field(default_factory=HeadSettings)
    loss: LossSettings = field(default_factory=LossSettings)
    train: TrainSettings = field(default_factory=TrainSettings)
    teacher: TeacherSettings = field(default_factory=TeacherSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    calibration: Calibration = field(default_factory=Calibration)
    decision: Decision = field(default_factory=Decision)
    rescue: Rescue | None = None
    retrieval: Retrieval | None = None
    learner: Learner | None = None
    text: Text | None = None

    def __post_init__(self) -> None:
        ways = [f"[{one}]" for one in WAYS if getattr(self, one) is not None]
        if len(ways) > 1:
            raise UsageError(f"{' and '.join(ways)} both answer in place of the head. Keep one of them.")
        if self.text is None:
            return
        idle = [
            f"[{name}]"
            for name, one, plain in (
                ("search", self.search, SearchSettings()),
                ("teacher", self.teacher, TeacherSettings()),
            )
            if one != plain
        ]
        if idle:
            raise UsageError(
                f"[text] trains no network, and {' and '.join(idle)} would do nothing. Keep one or the other."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Member(ConceptModel):
    """`[[member]]`: another system by name or path, or a model in tables of its own."""

    name: str = ""
    file: str = ""
    seed: int | None = None  # in place of train.seed
    weight: float | None = None  # for the rule `weighted`

    def __post_init__(self) -> None:
        ConceptModel.__post_init__(self)  # slots make another class of this one, which super() does not know
        if self.seed is not None and (wrong := problems(self, {"seed": SEED})):
            raise UsageError(wrong[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptSystem(ConceptModel):
    """A system file. With members, its own tables are what members have in common."""

    name: str
    edition: str = ""
    team: str = ""
    task: Literal["concepts"]
    source: str = ""  # where it is published
    family: str = ""  # what kind of system it is, in a few words
    known: Known = "paper"  # how much is public
    published: Mapping[str, float] = field(default_factory=dict[str, float])  # metric -> value
    need: int = 0  # what the published score needs: 0 nothing, 1 open weights, 2 gated ones, 3 a service
    needs: tuple[str, ...] = ()  # weights or services that must be had
    differs: str = ""  # from what was published, and where the paper is silent
    ensemble: Ensemble = field(default_factory=Ensemble)
    member: tuple[Member, ...] = ()


def tables(model: ConceptModel) -> dict[str, Any]:
    """The tables of a model by name, to make another of them."""
    return {one.name: getattr(model, one.name) for one in fields(ConceptModel)}


def models(system: ConceptSystem) -> dict[str, ConceptModel]:
    """What is trained, by name: the members of a resolved system, or the system itself."""
    return {one.name: one for one in system.member} if system.member else {system.name: system}
