"""A small dataset on disk, a system file for it, and a model that was trained on it."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import torch
from system_samples import TINY_SYSTEM

from radcap.datasets.synthetic import Faults, synthetic
from radcap.systems.training import train

torch.set_num_threads(1)  # networks this small only wait for threads

SYSTEM = f"{TINY_SYSTEM}lr = 0.01\n"


def write_samples(folder: Path) -> Path:
    """`data` (three images of its test split cannot be read), `mine.toml`, `model`, `deciding`."""
    (folder / "mine.toml").write_text(SYSTEM, encoding="utf-8")
    data = synthetic(80, size=32, concepts=40, faults=Faults(broken=2, missing=1))
    data.save(folder / "data")
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        train(folder / "mine.toml", data, folder / "model")
        train(folder / "mine.toml", data, folder / "deciding", changes={"retrieval.rule": "mean-at-k"})
    return folder
