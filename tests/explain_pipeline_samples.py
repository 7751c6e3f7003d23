"""What tests of the whole way share: images by name, a captioner made to speak, a method that lies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from dataset_samples import dataset_of, row
from explain_model_samples import CAPTION, NAMES, detector

from radcap.captioning.models.writer_model import WriterModel
from radcap.detection.ensembles import Ensemble
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.explanation.methods import METHODS
from radcap.explanation.methods.method import Relevance

if TYPE_CHECKING:
    import pytest

    from radcap.datasets import Dataset

__all__ = ["Edges", "Resting", "add_methods", "ensemble", "images", "saying"]


def images(**files: bytes) -> Dataset:
    return dataset_of([row(name) for name in files], {f"{name}.png": data for name, data in files.items()})


def ensemble() -> EnsembleModel:
    """Two networks of different sizes."""
    members = {"a": detector(seed=1), "b": detector(seed=2, size=48)}
    return EnsembleModel(members, Ensemble("mean-logit"), tuple(NAMES), NAMES)


def saying(monkeypatch: pytest.MonkeyPatch, caption: str = CAPTION) -> None:
    """Every writer says this of every image."""
    real = WriterModel.answers

    def answers(model: WriterModel, *given: Any) -> Any:
        told = real(model, *given)
        return replace(told, lines=tuple(replace(one, caption=caption) for one in told.lines))

    monkeypatch.setattr(WriterModel, "answers", answers)


class Edges:
    """A method that does not look at the model."""

    def __call__(self, lens: Any, targets: Any) -> Relevance:
        grey = lens.pixels[0].mean(0)
        edges = torch.zeros_like(grey)
        edges[:, 1:] = (grey[:, 1:] - grey[:, :-1]).abs()
        return Relevance(edges.expand(len(targets), -1, -1))


class Resting:
    """A method that sees everything under the image as it is, and nothing under noise."""

    def __call__(self, lens: Any, targets: Any) -> Relevance:
        plain = bool((lens.pixels == lens.pixels.round()).all())
        return Relevance(torch.full((len(targets), 3, 3), float(plain)), torch.ones(len(targets), 3, 3))


def add_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """`edges` and `resting`, as a plug-in adds a method."""
    for made in (Edges, Resting):
        monkeypatch.setitem(METHODS.table, made.__name__.lower(), f"{__name__}:{made.__name__}")  # type: ignore[arg-type]
