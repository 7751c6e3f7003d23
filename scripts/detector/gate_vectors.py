"""The vectors the gate is fitted, cut and measured on.

Invariant: a figure's part follows from its name and a radiology image's from its split, so no image is in two
parts, whatever is done to it; only images to fit with are shown a second time, varied by lot.
"""

from __future__ import annotations

import hashlib
import tarfile
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.datasets.images.letterbox import ROW, letterbox
from radcap.detection.examples import learnable
from radcap.vision.pictures import View
from radcap.vision.pictures.chance import Chance
from radcap.vision.pictures.streaming import Shot, stream
from radcap.vision.settings import AugmentSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.models.network_model import NetworkModel
    from radcap.detection.system import DataSettings

    Floats = NDArray[np.float32]

__all__ = [
    "PARTS",
    "VARIED",
    "Vectors",
    "figure_part",
    "figure_vectors",
    "greyed",
    "photograph_vectors",
    "radiology_vectors",
]

PARTS = ("train", "valid", "test")
VARIED = AugmentSettings(
    flip_horizontal=0.5, zoom=(0.9, 1.5), shift=0.06, brightness=0.1, contrast=0.3, gamma=0.3
)
_BATCH = 4


@dataclass(frozen=True)
class Vectors:
    """Vectors of the images of each part: as they are, and for train a second look at each."""

    plain: dict[str, Floats]
    varied: Floats

    @property
    def to_fit(self) -> Floats:
        return np.concatenate([self.plain["train"], self.varied])


def radiology_vectors(model: NetworkModel, data: Dataset, settings: DataSettings, seed: int) -> Vectors:
    """Of the radiology images; for train those without NC or SA terms, as the detector itself."""
    parts = {name: data.split(name) for name in PARTS}
    parts["train"] = learnable(parts["train"], settings)
    return _looked(model, lambda name: stream(parts[name], model.view, _BATCH, threads=0), seed)


def figure_vectors(model: NetworkModel, folder: Path, seed: int, *, grey: bool) -> Vectors:
    """Of the figures in images.tar of a folder, as they are or without their colours."""

    def shots(part: str) -> Iterator[Shot]:
        found = _figures(folder / "images.tar", model.view.side, part)
        return (replace(one, squares=greyed(one.squares)) if grey else one for one in found)

    return _looked(model, shots, seed)


def photograph_vectors(model: NetworkModel, folder: Path) -> dict[str, Floats]:
    """Of the images in a folder by name: a row in colour and one in grey."""
    shots = {
        path.stem: _shot([(path.name, path.read_bytes())], model.view.side)
        for path in sorted(folder.iterdir())
    }
    return {
        name: _vectors(model, [shot, replace(shot, squares=greyed(shot.squares))])
        for name, shot in shots.items()
        if shot.ids
    }


def figure_part(name: str) -> str:
    """
    >>> [figure_part(f"NonRad_0000{number}.webp") for number in range(1, 5)]
    ['train', 'train', 'valid', 'train']
    """
    tenth = hashlib.sha256(name.encode()).digest()[0] % 10
    return "train" if tenth < 6 else "valid" if tenth < 8 else "test"


def greyed(squares: torch.Tensor) -> torch.Tensor:
    """Squares (n x side x side x 3) whose three channels are the luma of the colours."""
    luma = squares.float() @ torch.tensor([0.299, 0.587, 0.114])
    return luma.round().to(torch.uint8).unsqueeze(-1).expand_as(squares).contiguous()


def _looked(model: NetworkModel, shots: Callable[[str], Iterable[Shot]], seed: int) -> Vectors:
    plain = {name: _vectors(model, shots(name)) for name in PARTS}
    return Vectors(plain, _vectors(model, shots("train"), Chance.of(seed, 0, torch.device("cpu"))))


@torch.inference_mode()
def _vectors(model: NetworkModel, shots: Iterable[Shot], chance: Chance | None = None) -> Floats:
    view = View(replace(model.view.settings, augment=VARIED))
    seen = [
        model.network.embed(view(one.squares, one.boxes, chance)).numpy() for one in shots if len(one.ids) > 0
    ]
    return np.concatenate(seen)


def _figures(path: Path, side: int, part: str) -> Iterator[Shot]:
    """The figures of a part that can be decoded, as the network is shown images."""
    with tarfile.open(path) as tar:
        members = [one for one in tar if one.isfile() and figure_part(one.name) == part]
        for start in range(0, len(members), _BATCH):
            chunk = ((one.name, tar.extractfile(one)) for one in members[start : start + _BATCH])
            yield _shot([(name, b"" if file is None else file.read()) for name, file in chunk], side)


def _shot(files: list[tuple[str, bytes]], side: int) -> Shot:
    squares, rows = np.zeros((len(files), side, side, 3), np.uint8), np.zeros(len(files), ROW)
    for place, (name, content) in enumerate(files):
        letterbox(content, name, squares[place], rows[place : place + 1])
    kept = rows["code"] == 0
    names = tuple(name for (name, _), fine in zip(files, kept.tolist(), strict=True) if fine)
    return Shot(names, torch.from_numpy(squares[kept]), torch.from_numpy(rows["box"][kept]).float())
