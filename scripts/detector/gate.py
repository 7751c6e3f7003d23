"""The gate: a logistic layer on the detector's vectors that tells radiology images from others.

Invariant: the layer is fitted on train, its penalty and its offset are chosen on valid, and test is only
measured. Figures count in colour and in grey alike, so that colour alone cannot decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from detector.gate_vectors import figure_vectors, radiology_vectors
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from detector.gate_vectors import Vectors
    from radcap.datasets import Dataset
    from radcap.detection.models import ModelFolder
    from radcap.detection.models.network_model import NetworkModel
    from radcap.detection.system import DataSettings

    Floats = NDArray[np.float32]

__all__ = ["auc", "build_gate", "fitted", "logistic", "lower_cut", "measured_gate"]

SEED = 0
PENALTIES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
REFUSED = 0.01  # of the radiology images of valid
_HOW = (
    "logistic layer on the detector's vectors; radiology-open train without NC or SA terms against the"
    " figures in colour and in grey, each image as it is and once varied (flip, crop, light);"
    " penalty {:g}, the best by AUC on valid; the offset refuses {:.0%} of valid"
)


def build_gate(
    model: NetworkModel, data: Dataset, settings: DataSettings, others: Path, folder: ModelFolder
) -> dict[str, Any]:
    """Fit and write the gate; what the card says about it."""
    yes = radiology_vectors(model, data, settings, SEED)
    no = [figure_vectors(model, others, SEED, grey=grey) for grey in (False, True)]
    weight, bias, penalty = fitted(yes, no)
    layer = {"weight": torch.from_numpy(weight), "bias": torch.tensor([bias])}
    write_weight_file(layer, folder.gate, "fp32")
    return {
        "licence": "CC BY-NC-SA 4.0 (gate.safetensors alone: it was fitted with figures under these terms)",
        "data": "2,399 figures of OpenStax textbooks that are no radiology images, against radiology-open",
        "how": _HOW.format(penalty, REFUSED),
        "seed": SEED,
        "threshold": 0.5,
        "test": measured_gate(weight, bias, yes, no),
    }


def fitted(yes: Vectors, no: list[Vectors]) -> tuple[Floats, float, float]:
    """Weights, offset and penalty; of penalties that are as good the largest is taken."""
    bad = np.concatenate([one.to_fit for one in no])
    held = np.concatenate([one.plain["valid"] for one in no])
    layers = [(*logistic(yes.to_fit, bad, one), one) for one in PENALTIES]
    quality = [auc(yes.plain["valid"] @ weight, held @ weight) for weight, _, _ in layers]
    weight, _, penalty = layers[int(np.argmax(quality))]
    return weight, -lower_cut(yes.plain["valid"] @ weight, REFUSED), penalty


def measured_gate(weight: Floats, bias: float, yes: Vectors, no: list[Vectors]) -> dict[str, Any]:
    """What falls on the wrong side, of images that decided nothing."""
    good, colour, grey = (one.plain["test"] @ weight + bias for one in (yes, *no))
    return {
        "radiology_images": len(good),
        "radiology_refused": float((good < 0).mean()),
        "other_images": len(colour),
        "others_taken_for_radiology": float((colour >= 0).mean()),
        "grey_others_taken_for_radiology": float((grey >= 0).mean()),
        "auc": auc(good, colour),
        "auc_grey": auc(good, grey),
    }


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


def lower_cut(scores: Floats, share: float) -> float:
    """Where such a share of the scores falls below."""
    return float(np.quantile(scores.astype(np.float64), share))


def auc(yes: Floats, no: Floats) -> float:
    """The share of pairs in which the radiology image has the higher score."""
    order = np.argsort(np.concatenate([no, yes]), kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    return float((ranks[len(no) :].sum() - len(yes) * (len(yes) + 1) / 2) / (len(yes) * len(no)))
