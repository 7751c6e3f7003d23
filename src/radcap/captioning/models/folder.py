"""The folder of a captioner.

    model.safetensors  weights of what was trained     system.toml  every setting, resolved
    tokenizer.json     pieces of words                 labels.csv   concepts that can be told or answered
    captions.json      the captions it remembers       words.json   the words it chooses from
    neighbours/        the images it remembers         concepts/    its detector, a model folder of its own
    findings.json      the words of findings           card.json    what it is, saw, and how good it is
    pretrained/        a model of others that learnt   adapter/     or what learnt beside it
    members/NAME/      captioners that are joined      router/      what says which of them is asked
    reranker/          what was learnt to choose among drafts
    refiner/           a language model that was trained with it
    nearest/           a captioner that finds neighbours for the refiner
    clusters.json      the cluster of each concept
    dmmcs.safetensors, dmmcs.json, medians.json        words and concepts, and how near captions come to them

Invariant: `card.json` is written last and knows the texts beside it. A captioner that leans on a detector of
the zoo knows that detector's weights, and is refused over others.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

from radcap.captioning.members import resolve
from radcap.captioning.system_reading import OWN_DETECTOR, caption_toml, read_caption_system
from radcap.core import Task, UsageError
from radcap.core.tables import read_toml
from radcap.detection.models.any_folder import AnyFolder
from radcap.detection.models.folder import ModelFolder
from radcap.zoo import find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from radcap.captioning.system import CaptionSystem
    from radcap.core import Cui

__all__ = ["OWN_DETECTOR", "CaptionFolder", "weights_digest"]


@dataclass(frozen=True, slots=True)
class CaptionFolder(AnyFolder):
    """Reading and writing the parts; each reader says what is wrong with a part."""

    TEXTS: ClassVar = (
        "system.toml",
        "labels.csv",
        "tokenizer.json",
        "captions.json",
        "words.json",
        "findings.json",
        "dmmcs.json",
        "medians.json",
        "clusters.json",
    )

    @property
    def tokenizer(self) -> Path:
        return self.path / "tokenizer.json"

    @property
    def neighbours(self) -> Path:
        return self.path / "neighbours"

    @property
    def pretrained(self) -> Path:
        """As transformers lays it out."""
        return self.path / "pretrained"

    @property
    def adapter(self) -> Path:
        """As peft lays it out."""
        return self.path / "adapter"

    @property
    def reranker(self) -> Path:
        return self.path / "reranker"

    @property
    def router(self) -> Path:
        return self.path / "router" / "learner.safetensors"

    def member(self, name: str) -> CaptionFolder:
        return CaptionFolder(self.member_path(name))

    @property
    def concepts(self) -> ModelFolder:
        return ModelFolder(self.path / OWN_DETECTOR)

    def detector(self, system: CaptionSystem) -> ModelFolder | None:
        """Its own detector, or the one of the zoo that it leans on."""
        if not system.detector.model:
            return None
        own = system.detector.model == OWN_DETECTOR
        if own and not self.concepts.is_whole:
            raise self.broken(f"{OWN_DETECTOR}/card.json", "it is not there")
        folder = self.concepts if own else ModelFolder(find(system.detector.model))
        known = self.card().get("detector")
        told = cast("dict[str, object]", known).get("weights") if isinstance(known, dict) else None
        if told is not None and told != weights_digest(folder):
            if own:
                why = f"it is not the file that {self.path / 'card.json'} was written for"
                raise folder.broken(folder.weights.name, why)
            raise self.broken("card.json", f"it was trained over other weights than those of {folder.path}")
        return folder

    def check(self) -> None:
        """Refuse what is no captioner, and texts that are not those of the card."""
        task = self.card().get("task")
        if task == Task.CONCEPTS:
            why = "it detects concepts, and a captioner is wanted"
            raise UsageError(f"{self.path} cannot be used: {why}. Give a captioner, such as zoo:captions.")
        if task != Task.CAPTIONS:
            raise self.broken("card.json", "it is not the card of a captioner")
        AnyFolder.check(self)  # super() does not know its class where slots are made

    def write_system(self, system: CaptionSystem) -> None:
        """With every key, so that a later change of a default changes nothing here."""
        self.write("system.toml", caption_toml(system, full=True))

    def system(self) -> CaptionSystem:
        """The settings; members have been expanded when they were written."""
        toml = read_toml(self.path / "system.toml", str(self.path / "system.toml"))
        return resolve(read_caption_system(toml), self._elsewhere, text=toml.text, path=toml.path)

    def _elsewhere(self, file: str) -> CaptionSystem:
        raise self.broken("system.toml", f"its members are not whole: one is named by the file {file!r}")

    def has(self, name: str) -> bool:
        return (self.path / name).exists()

    def write_list(self, name: str, values: Sequence[str]) -> None:
        self.write(name, json.dumps({"values": list(values)}, ensure_ascii=False, indent=0))

    def read_list(self, name: str) -> tuple[str, ...]:
        told: Any = self.read_json(name).get("values")
        if not isinstance(told, list) or not all(isinstance(one, str) for one in cast("list[object]", told)):
            raise self.broken(name, "it holds no list of texts under 'values'")
        return tuple(cast("list[str]", told))

    def write_phrases(self, name: str, phrases: Mapping[Cui, Sequence[str]]) -> None:
        told = {cui: list(words) for cui, words in phrases.items()}
        self.write(name, json.dumps(told, ensure_ascii=False, indent=0))

    def read_phrases(self, name: str) -> dict[Cui, tuple[str, ...]]:
        told = self.read_json(name)
        if not all(isinstance(words, list) for words in told.values()):
            raise self.broken(name, "it holds no list of words for each concept")
        return {cui: tuple(str(one) for one in words) for cui, words in told.items()}


def weights_digest(folder: ModelFolder) -> str:
    """Of the file of weights, to know it again."""
    try:
        return hashlib.sha256(folder.weights.read_bytes()).hexdigest()
    except OSError as error:
        raise folder.broken(folder.weights.name, str(error)) from error
