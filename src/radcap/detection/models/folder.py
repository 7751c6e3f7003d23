"""The folder of a model.

    model.safetensors  weights            system.toml    every setting, resolved
    labels.csv         cui, name, index   decision.json  the fitted calibration and rule
    card.json          what it is, what it saw, how good it is
    neighbours/        the images it remembers, where neighbours answer
    members/NAME/      the models of an ensemble, each such a folder
    gate.safetensors   the layer that tells radiology images from others, where there is one

Invariant: `card.json` is written last and knows the texts beside it, so a folder with a card is whole, and
one whose parts come from different models is refused.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from radcap.core.tables import read_toml
from radcap.detection.calibration import calibrator_from_json
from radcap.detection.decisions import rule_from_json
from radcap.detection.models.texts import Texts
from radcap.detection.system_reading import read_concept_system, system_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.core import Cui
    from radcap.detection.calibration import Calibrator
    from radcap.detection.decisions import Rule
    from radcap.detection.system import ConceptSystem

__all__ = ["ModelFolder"]

_COLUMNS = ["cui", "name", "index"]
_TEXTS = ("system.toml", "labels.csv", "decision.json")
_UNSAFE = re.compile(r"[/\\:\0]|^\.+")  # a member's name may be that of a file or a path


@dataclass(frozen=True, slots=True)
class ModelFolder(Texts):
    """Reading and writing the parts; each reader says what is wrong with a part."""

    @property
    def weights(self) -> Path:
        return self.path / "model.safetensors"

    @property
    def gate(self) -> Path:
        return self.path / "gate.safetensors"

    @property
    def neighbours(self) -> Path:
        return self.path / "neighbours"

    @property
    def training(self) -> Path:
        """Where the state of an unfinished training lies."""
        return self.path / "training"

    @property
    def is_whole(self) -> bool:
        return (self.path / "card.json").is_file()

    def member(self, name: str) -> ModelFolder:
        return ModelFolder(self.path / "members" / _UNSAFE.sub("-", name))

    def write_system(self, system: ConceptSystem) -> None:
        """With every key, so that a later change of a default changes nothing here."""
        self.write("system.toml", system_toml(system, full=True))

    def system(self) -> ConceptSystem:
        return read_concept_system(read_toml(self.path / "system.toml", str(self.path / "system.toml")))

    def write_labels(self, labels: tuple[Cui, ...], names: Mapping[Cui, str]) -> None:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows([cui, names.get(cui, ""), number] for number, cui in enumerate(labels))
        self.write("labels.csv", out.getvalue())

    def labels(self) -> tuple[Cui, ...]:
        return tuple(self.names())

    def names(self) -> dict[Cui, str]:
        """The labels with their names, in the order of the logits."""
        try:
            rows = list(csv.DictReader(io.StringIO(self.read("labels.csv"))))
            ordered = sorted((int(row["index"]), row["cui"], row["name"]) for row in rows)
        except (KeyError, TypeError, ValueError, csv.Error) as error:
            wanted = ", ".join(_COLUMNS)
            raise self.broken("labels.csv", f"its columns must be {wanted} ({error})") from error
        if not ordered or [number for number, _, _ in ordered] != list(range(len(rows))):
            raise self.broken("labels.csv", "its indices are not 0, 1, 2 and so on")
        names = {cui: name for _, cui, name in ordered}
        if len(names) < len(rows):
            raise self.broken("labels.csv", "a CUI stands in it twice")
        return names

    def write_decision(self, calibrator: Calibrator | None, rule: Rule | None) -> None:
        told = {
            "calibration": None if calibrator is None else calibrator.to_json(),
            "rule": None if rule is None else rule.to_json(),
        }
        self.write("decision.json", json.dumps(told))

    def decision(self) -> tuple[Calibrator | None, Rule | None]:
        """What was fitted on the held-out images; nothing where there were none."""
        told = self.read_json("decision.json")
        if told.keys() != {"calibration", "rule"} or (told["calibration"] is None) != (told["rule"] is None):
            raise self.broken("decision.json", "it has not both calibration and rule")
        if told["rule"] is None:
            return None, None
        calibrator, rule = calibrator_from_json(told["calibration"]), rule_from_json(told["rule"])
        if not calibrator.labels == rule.labels == self.labels():
            raise self.broken("decision.json", "it was fitted for other labels than those of labels.csv")
        return calibrator, rule

    def write_card(self, card: Mapping[str, Any]) -> None:
        """The end of writing. The card knows the texts that it was written for."""
        texts = {name: self.digest(name) for name in _TEXTS}
        told = json.dumps({**card, "files": texts}, indent=1, ensure_ascii=False)
        self.write("card.json", f"{told}\n")

    def card(self) -> dict[str, Any]:
        return self.read_json("card.json")

    def check(self) -> None:
        """Refuse texts that are not those of the card: cut off, changed, or of another model."""
        told = self.card().get("files")  # a card without them was written by hand
        known = cast("dict[str, object]", told) if isinstance(told, dict) else {}
        changed = [name for name in _TEXTS if name in known and known[name] != self.digest(name)]
        if changed:
            raise self.broken(changed[0], "it is not the file that card.json was written for")
