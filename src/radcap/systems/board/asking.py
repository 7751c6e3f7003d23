"""What a trained model says of the test split, over pictures and features that other systems left.

Invariant: the answers are those of `radcap predict` but for rounding; a sample is asked that way, to time it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.detection.models.answers import Answers
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.models.folder import ModelFolder
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.models.opening import load_network, open_model
from radcap.detection.talk import SILENT
from radcap.detection.training.decoding import decoded_pictures
from radcap.detection.training.networks import Trainer
from radcap.vision.pictures.streaming import Shot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.models import Model
    from radcap.detection.training.shelf import Shelf
    from radcap.vision.pictures import Pictures

__all__ = ["ask"]

_BATCH = 64  # images


def ask(folder: ModelFolder, test: Dataset, shelf: Shelf, device: str) -> Answers:
    """The answers of a model, member by member."""
    model = open_model(folder.path, device)
    if not isinstance(model, EnsembleModel):
        return _asked(model, folder, test, shelf)
    told = {name: _asked(one, folder.member(name), test, shelf) for name, one in model.members.items()}
    return model.joined(told)


def _asked(model: Model, folder: ModelFolder, test: Dataset, shelf: Shelf) -> Answers:
    """Over features that are shared, where the backbone is frozen; else over decoded pictures."""
    if not isinstance(model, NetworkModel):
        return model.answers(test)
    system = folder.system()
    if not system.backbone.frozen:
        return _looked(model, test)
    trainer = Trainer(system, model.labels, model.place, SILENT, Path(), "", shelf)
    feed = trainer.feed(test)
    network = load_network(folder, system, len(model.labels)).to(model.place.device)
    return model.decided(
        _unsaid(model, feed.pictures), trainer.logits(network, feed), trainer.vectors(network, feed)
    )


def _looked(model: NetworkModel, test: Dataset) -> Answers:
    """As `NetworkModel.answers`, which decodes every time."""
    pictures = decoded_pictures(test, model.view.settings, model.place, where="auto", talk=SILENT)
    logits: list[NDArray[np.float32]] = []
    vectors: list[NDArray[np.float32]] = []
    for start in range(0, len(pictures), _BATCH):
        places = torch.arange(start, min(start + _BATCH, len(pictures)), device=pictures.device)
        told, seen = model.look(Shot(pictures.ids[start : start + _BATCH], *pictures.squares(places)))
        logits.append(told)
        vectors.append(seen)
    return model.decided(_unsaid(model, pictures), np.concatenate(logits), np.concatenate(vectors))


def _unsaid(model: NetworkModel, pictures: Pictures) -> Answers:
    """The images that were seen, before anything is decided."""
    nothing = np.zeros((len(pictures), len(model.labels)), np.bool_)
    return Answers(pictures.ids, model.labels, nothing, refused=dict(pictures.refused))
