"""Captioners so small that a test can train them: one of each kind, over one small detector."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch

from radcap.captioning.models import CaptionFolder
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionTrainSettings,
    ConditionSettings,
    DecoderSettings,
    DetectorSettings,
    GenerateSettings,
    PostSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.training import train_captions
from radcap.datasets import Dataset, load_dataset
from radcap.datasets.synthetic import Faults, synthetic
from radcap.detection.system import ConceptSystem
from radcap.detection.training import train_system
from radcap.vision.settings import BackboneSettings, ImageSettings, TrainSettings

torch.set_num_threads(1)  # networks this small only wait for threads

SIZE = 32
WORDS = 24  # of [post]
KINDS = ("writer", "apart", "alone", "words", "nearest", "agreed", "frequent", "template")


@cache
def real() -> Dataset:
    """A few images with what is really said of them."""
    data = load_dataset("radiology-open")
    parts = {"train": 60, "valid": 12, "test": 6}
    kept = np.zeros(len(data), np.bool_)
    for split, count in parts.items():
        kept[np.flatnonzero(np.array(data.column("split").to_pylist()) == split)[:count]] = True
    return data.filter(kept)


@cache
def drawn() -> Dataset:
    """Other images; three of the test split cannot be read."""
    return synthetic(40, size=SIZE, concepts=40, faults=Faults(broken=2, missing=1))


def captioner(name: str, kind: str, **tables: Any) -> CaptionSystem:
    """A system with a frozen backbone of random weights."""
    given = {
        "data": CaptionDataSettings(captions="composed"),
        "image": ImageSettings(size=SIZE),
        "backbone": BackboneSettings(frozen=True),
        "tokenizer": TokenizerSettings(size=400),
        "decoder": DecoderSettings(kind=kind, width=16, layers=1, heads=2, factor=2.0, longest=24),
        "train": CaptionTrainSettings(epochs=1, batch=16, lr=1e-2),
        "generate": GenerateSettings(method="greedy", longest=16),
        "post": PostSettings(words=WORDS),
    } | tables
    return CaptionSystem(name=name, task="captions", **given)


def systems(detector: Path) -> dict[str, CaptionSystem]:
    """One of each kind; `writer` has every part there is."""
    leaning, apart = DetectorSettings(str(detector)), DetectorSettings(str(detector), share=False)
    beam = GenerateSettings(beams=2, longest=16, supported=True, support=0.3)
    drawing = GenerateSettings(method="mbr", samples=3, longest=12, supported=True)
    few = DecoderSettings(kind="nearest", neighbours=3)
    return {
        "writer": captioner(
            "writer",
            "transformer",
            detector=leaning,
            generate=beam,
            condition=ConditionSettings(concepts="all", neighbours=2),
        ),
        "apart": captioner(
            "apart",
            "gru",
            detector=apart,
            generate=drawing,
            condition=ConditionSettings(concepts="modality", prompt="Concepts: {concepts}."),
        ),
        "alone": captioner("alone", "lstm"),
        "words": captioner("words", "words", decoder=DecoderSettings(kind="words", words=6)),
        "nearest": captioner("nearest", "nearest"),
        "agreed": captioner("agreed", "nearest", detector=leaning, decoder=few),
        "frequent": captioner("frequent", "frequent"),
        "template": captioner("template", "template", detector=leaning),
    }


def train_all(folder: Path) -> dict[str, CaptionFolder]:
    """A folder for each kind, and that of the detector, which is called `detector`."""
    concepts = ConceptSystem(
        name="tiny",
        task="concepts",
        image=ImageSettings(size=SIZE),
        backbone=BackboneSettings(frozen=True),
        train=TrainSettings(epochs=2, batch=16, lr=1e-2),
    )
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        detector = train_system(concepts, real(), folder / "detector")
        made = systems(detector.path)
        return {name: train_captions(one, real(), folder / name) for name, one in made.items()}
