"""The folder of a model.

    model.safetensors  weights            system.toml    every setting, resolved
    labels.csv         cui, name, index   decision.json  the fitted calibration, rule and rescue
    card.json          what it is, what it saw, how good it is
    neighbours/        the images it remembers, where neighbours answer
    learner.safetensors  the classic model over its vectors, where one answers
    words.json         the words that a classifier of texts knows, where one answers
    members/NAME/      the models of an ensemble, each such a folder
    gate.safetensors   the layer that tells radiology images from others, where there is one

Invariant: `card.json` is written last and knows the texts beside it, so a folder with a card is whole, and
one whose parts come from different models is refused. A card without settings may be that of a dataset.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from radcap.core import Task, UsageError
from radcap.core.tables import read_toml
from radcap.detection.calibration import calibrator_from_json
from radcap.detection.decisions import rescue_from_json, rule_from_json
from radcap.detection.models.any_folder import AnyFolder
from radcap.detection.system_reading import read_concept_system, system_toml

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.detection.calibration import Calibrator
    from radcap.detection.decisions import CountRescue, Rule
    from radcap.detection.system import ConceptSystem

__all__ = ["ModelFolder"]

_GIVE = "Give the folder of a concept model that radcap train wrote, or zoo:concepts."


@dataclass(frozen=True, slots=True)
class ModelFolder(AnyFolder):
    """Reading and writing the parts; each reader says what is wrong with a part."""

    TEXTS: ClassVar = ("system.toml", "labels.csv", "decision.json", "words.json")

    @property
    def settings(self) -> Path:
        return self.path / "system.toml"

    @property
    def gate(self) -> Path:
        return self.path / "gate.safetensors"

    @property
    def learner(self) -> Path:
        return self.path / "learner.safetensors"

    @property
    def neighbours(self) -> Path:
        return self.path / "neighbours"

    def member(self, name: str) -> ModelFolder:
        return ModelFolder(self.member_path(name))

    def write_system(self, system: ConceptSystem) -> None:
        """With every key, so that a later change of a default changes nothing here."""
        self.write("system.toml", system_toml(system, full=True))

    def system(self) -> ConceptSystem:
        """The settings; what is another folder of radcap's is refused in a sentence."""
        if not self.settings.exists():
            raise UsageError(f"{self.path} holds no model: it has no {self.settings.name}. {_GIVE}")
        read = read_toml(self.settings, str(self.settings))
        if read.values.get("task") == Task.CAPTIONS:
            raise UsageError(f"{self.path} is a captioner and not a concept model. {_GIVE}")
        return read_concept_system(read)

    def write_decision(
        self, calibrator: Calibrator | None, rule: Rule | None, rescue: CountRescue | None = None
    ) -> None:
        told = {
            "calibration": None if calibrator is None else calibrator.to_json(),
            "rule": None if rule is None else rule.to_json(),
        } | ({} if rescue is None else {"rescue": rescue.to_json()})
        self.write("decision.json", json.dumps(told))

    def decision(self) -> tuple[Calibrator | None, Rule | None]:
        """What was fitted on the held-out images; nothing where there were none."""
        told = self.read_json("decision.json")
        both = {"calibration", "rule"}
        if told.keys() - {"rescue"} != both or (told["calibration"] is None) != (told["rule"] is None):
            raise self.broken("decision.json", "it has not both calibration and rule")
        if told["rule"] is None:
            return None, None
        calibrator, rule = calibrator_from_json(told["calibration"]), rule_from_json(told["rule"])
        if not calibrator.labels == rule.labels == self.labels():
            raise self.broken("decision.json", "it was fitted for other labels than those of labels.csv")
        return calibrator, rule

    def rescue(self) -> CountRescue | None:
        """What adds labels where there are too few, if anything does."""
        told = self.read_json("decision.json").get("rescue")
        return None if told is None else rescue_from_json(told)
