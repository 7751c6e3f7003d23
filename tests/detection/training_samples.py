"""Systems and datasets so small that a test can train them, and training in this process alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import torch

from radcap.datasets import Dataset
from radcap.datasets.synthetic import Faults, synthetic
from radcap.detection.models import Answers, Model, ModelFolder
from radcap.detection.system import ConceptSystem, Member
from radcap.detection.talk import Talk
from radcap.detection.training import train_system
from radcap.systems.predicting import predict
from radcap.vision.settings import BackboneSettings, ImageSettings, TrainSettings

torch.set_num_threads(1)  # networks this small only wait for threads

SIZE = 32


@cache
def drawn(images: int = 90, seed: int = 0, **faults: int) -> Dataset:
    """Train, valid and test; faults are planted in test."""
    return synthetic(images, seed=seed, size=SIZE, concepts=40, faults=Faults(**faults))


@cache
def without_valid() -> Dataset:
    return synthetic(60, size=SIZE, concepts=40, splits={"train": 0.8, "test": 0.2})


def tiny(name: str = "tiny", **tables: Any) -> ConceptSystem:
    """A head on a frozen backbone of random weights: a quarter of a second to train."""
    given = {
        "image": ImageSettings(size=SIZE),
        "backbone": BackboneSettings(frozen=True),
        "train": TrainSettings(epochs=2, batch=16, lr=1e-2),
    } | tables
    return ConceptSystem(name=name, task="concepts", **given)


def whole(name: str = "whole", **tables: Any) -> ConceptSystem:
    """The network is trained too: about a second an epoch."""
    given = {
        "backbone": BackboneSettings(),
        "train": TrainSettings(epochs=1, batch=32, lr=1e-3),
    } | tables
    return tiny(name, **given)


def member(name: str, seed: int = 0, **tables: Any) -> Member:
    model = tiny(**tables)
    train = replace(model.train, seed=seed)
    return Member(name=name, **{**_tables(model), "train": train})


def _tables(model: ConceptSystem) -> dict[str, Any]:
    from radcap.detection.system import tables

    return tables(model)


class Heard(list[str]):
    """What training told."""

    @property
    def talk(self) -> Talk:
        return Talk(self.append)

    def has(self, words: str) -> bool:
        return any(words in one for one in self)


def trained(
    system: ConceptSystem, out: Path, data: Dataset | None = None, talk: Talk | None = None
) -> ModelFolder:
    """Train without further processes."""
    with in_one_process():
        return train_system(system, data or drawn(), out, talk or Talk())


def predict_concepts(
    model: Model | Path | str, data: Dataset | Path | str, *, split: str | None = None, progress: Any = None
) -> Answers:
    """What a concept model says, by the public way."""
    told = predict(model, data, split=split, progress=progress)
    assert isinstance(told, Answers)
    return told


def in_one_process() -> Any:
    return mock.patch("radcap.datasets.images.cache.default_workers", return_value=1)
