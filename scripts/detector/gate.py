"""The gate: a logistic layer on the detector's vectors that tells radiology images from others.

Invariant: it is fitted, cut and measured on three parts that share no image; a figure's part follows from
its name.
"""

from __future__ import annotations

import hashlib
import tarfile
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from radcap.datasets.images.letterbox import ROW, letterbox
from radcap.detection.examples import learnable
from radcap.vision.pictures.streaming import Shot, stream
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.models import ModelFolder
    from radcap.detection.models.network_model import NetworkModel
    from radcap.detection.system import DataSettings

    Floats = NDArray[np.float32]

__all__ = ["auc", "build_gate", "even_cut", "logistic"]

_SEED, _RADIOLOGY, _BATCH = 0, 1500, 16


def build_gate(
    model: NetworkModel, data: Dataset, settings: DataSettings, others: Path, folder: ModelFolder
) -> dict[str, Any]:
    """Fit and write the gate; what the card says about it."""
    yes, no = _radiology(model, data, settings), _others(model, others)
    weight, bias = logistic(yes["train"], no["train"])
    scores = {name: (yes[name] @ weight + bias, no[name] @ weight + bias) for name in yes}
    shift = even_cut(*scores["valid"])
    layer = {"weight": torch.from_numpy(weight), "bias": torch.tensor([bias - shift])}
    write_weight_file(layer, folder.gate, "fp32")
    good, bad = (one - shift for one in scores["test"])
    return {
        "licence": "CC BY-NC-SA 4.0 (gate.safetensors alone: it was fitted with figures under these terms)",
        "data": "2,399 figures of OpenStax textbooks that are no radiology images, against radiology-open",
        "threshold": 0.5,
        "test": {
            "radiology_images": len(good),
            "radiology_refused": float((good < 0).mean()),
            "other_images": len(bad),
            "others_taken_for_radiology": float((bad >= 0).mean()),
            "auc": auc(good, bad),
        },
    }


def _radiology(model: NetworkModel, data: Dataset, settings: DataSettings) -> dict[str, Floats]:
    """Vectors of radiology images by split; some of train are enough."""
    free = learnable(data.split("train"), settings)
    some = np.sort(np.random.default_rng(_SEED).choice(len(free), _RADIOLOGY, replace=False))
    parts = {"train": free.take(some), "valid": data.split("valid"), "test": data.split("test")}
    return {name: _vectors(model, stream(part, model.view, _BATCH)) for name, part in parts.items()}


def _others(model: NetworkModel, folder: Path) -> dict[str, Floats]:
    """Vectors of the figures in images.tar, in three parts."""
    names: list[str] = []
    vectors = _vectors(model, _noted(_figures(folder / "images.tar", model.view.side), names))
    part = np.array([hashlib.sha256(one.encode()).digest()[0] % 10 for one in names])
    cuts = {"train": part < 6, "valid": (part >= 6) & (part < 8), "test": part >= 8}
    return {name: vectors[chosen] for name, chosen in cuts.items()}


def _vectors(model: NetworkModel, shots: Iterator[Shot]) -> Floats:
    return np.concatenate([model.look(shot)[1] for shot in shots if shot.ids])


def _noted(shots: Iterator[Shot], names: list[str]) -> Iterator[Shot]:
    """The same shots; what they show is added to `names` as they pass."""
    for shot in shots:
        names += shot.ids
        yield shot


def _figures(path: Path, side: int) -> Iterator[Shot]:
    """The figures of a tar that can be decoded, as the network is shown images."""
    with tarfile.open(path) as tar:
        members = [one for one in tar if one.isfile()]
        for start in range(0, len(members), _BATCH):
            chunk = members[start : start + _BATCH]
            squares, rows = np.zeros((len(chunk), side, side, 3), np.uint8), np.zeros(len(chunk), ROW)
            for place, one in enumerate(chunk):
                file = tar.extractfile(one)
                content = file.read() if file is not None else b""
                letterbox(content, one.name, squares[place], rows[place : place + 1])
            kept = rows["code"] == 0
            names = tuple(one.name for one, fine in zip(chunk, kept.tolist(), strict=True) if fine)
            boxes = torch.from_numpy(rows["box"][kept]).float()
            yield Shot(names, torch.from_numpy(squares[kept]), boxes)


def logistic(yes: Floats, no: Floats, penalty: float = 1e-3) -> tuple[Floats, float]:
    """Balanced logistic regression by L-BFGS."""
    x = torch.from_numpy(np.concatenate([yes, no])).double()
    y = torch.cat([torch.ones(len(yes)), torch.zeros(len(no))]).double()
    balance = torch.where(y > 0, 0.5 / len(yes), 0.5 / len(no))
    w = torch.zeros(x.shape[1] + 1, dtype=torch.double, requires_grad=True)
    solver = torch.optim.LBFGS([w], max_iter=300, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        solver.zero_grad()
        z = x @ w[:-1] + w[-1]
        value = (balance * torch.nn.functional.binary_cross_entropy_with_logits(z, y, reduction="none")).sum()
        value = value + penalty * w[:-1].square().sum()
        value.backward()
        return value

    solver.step(loss)
    return w[:-1].detach().float().numpy(), float(w[-1].detach())


def even_cut(yes: Floats, no: Floats) -> float:
    """Where as large a part of either kind falls on the wrong side."""
    cuts = np.sort(np.concatenate([yes, no]))
    wrong = [abs((yes < cut).mean() - (no >= cut).mean()) for cut in cuts]
    best = int(np.argmin(wrong))
    return float((cuts[best] + cuts[max(best - 1, 0)]) / 2)


def auc(yes: Floats, no: Floats) -> float:
    """The share of pairs in which the radiology image has the higher score."""
    order = np.argsort(np.concatenate([no, yes]), kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    return float((ranks[len(no) :].sum() - len(yes) * (len(yes) + 1) / 2) / (len(yes) * len(no)))
