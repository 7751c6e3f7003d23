"""What a trained model says of the test split, with the features that other systems' backbones left.

Invariant: the answers are those of `radcap predict` but for rounding; a sample is asked that way, to time it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.models.answers import Answers
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.models.folder import ModelFolder
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.models.opening import load_network, open_model
from radcap.detection.talk import SILENT
from radcap.detection.training.networks import Trainer

if TYPE_CHECKING:
    from radcap.datasets import Dataset
    from radcap.detection.models import Model
    from radcap.detection.training.shelf import Shelf

__all__ = ["ask"]


def ask(folder: ModelFolder, test: Dataset, shelf: Shelf, device: str) -> Answers:
    """The answers of a model, member by member."""
    model = open_model(folder.path, device)
    if not isinstance(model, EnsembleModel):
        return _asked(model, folder, test, shelf)
    told = {name: _asked(one, folder.member(name), test, shelf) for name, one in model.members.items()}
    return model.joined(told)


def _asked(model: Model, folder: ModelFolder, test: Dataset, shelf: Shelf) -> Answers:
    """Over features that are shared, where the backbone is frozen; else as anybody asks."""
    system = folder.system()
    if not isinstance(model, NetworkModel) or not system.backbone.frozen:
        return model.answers(test)
    trainer = Trainer(system, model.labels, model.place, SILENT, Path(), "", shelf)
    feed = trainer.feed(test)
    network = load_network(folder, system, len(model.labels)).to(model.place.device)
    ids = feed.pictures.ids
    seen = Answers(
        ids,
        model.labels,
        np.zeros((len(ids), len(model.labels)), np.bool_),
        refused=dict(feed.pictures.refused),
    )
    return model.decided(seen, trainer.logits(network, feed), trainer.vectors(network, feed))
