"""Optimisers by name, with a rate of its own for what stands on the backbone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import nn

    from radcap.vision.settings import TrainSettings

__all__ = ["make_optimiser", "set_rate"]

_ON_TOP = ("head.", "heads.", "writer.")


def make_optimiser(
    network: nn.Module, settings: TrainSettings, device: torch.device
) -> torch.optim.Optimizer:
    """Weights of norms and biases are not decayed."""
    groups: dict[tuple[bool, bool], list[torch.nn.Parameter]] = {}
    for name, weight in network.named_parameters():
        if weight.requires_grad:
            groups.setdefault((name.startswith(_ON_TOP), weight.ndim > 1), []).append(weight)
    tables: list[dict[str, Any]] = [
        {
            "params": weights,
            "scale": settings.head_lr if is_head else 1.0,
            "weight_decay": settings.weight_decay if decays else 0.0,
        }
        for (is_head, decays), weights in groups.items()
    ]
    lr, quick = settings.lr, device.type == "cuda"
    match settings.optimiser:
        case "adam":
            return torch.optim.Adam(tables, lr=lr, fused=quick)
        case "adamw":
            return torch.optim.AdamW(tables, lr=lr, fused=quick)
        case "sgd":
            return torch.optim.SGD(tables, lr=lr, momentum=settings.momentum, fused=quick)
        case "adafactor":
            return torch.optim.Adafactor(tables, lr=lr)
        case _:
            return torch.optim.RMSprop(tables, lr=lr, momentum=settings.momentum, foreach=quick)


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """The learning rate of every group, times the group's own factor."""
    for group in optimiser.param_groups:
        group["lr"] = rate * group["scale"]
