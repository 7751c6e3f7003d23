"""A learner as a checkpoint, and a checkpoint back into a learner.

Invariant: a learner that took over a checkpoint goes on as the one that was packed would have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from radcap.core import InputError
from radcap.vision.training.checkpoint import Checkpoint
from radcap.vision.training.learner import put_weights, weights_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.vision.training.learner import Learner, Weights

__all__ = ["pack", "unpack"]


def pack(learner: Learner) -> Checkpoint:
    """All of a learner, as it is now; the tensors are its own, so save them before it goes on."""
    tensors: Weights = {f"network.{name}": value for name, value in weights_of(learner.network).items()}
    tensors |= {f"best.{name}": value for name, value in learner.best.items()}
    numbers: dict[str, Any] = {}
    if learner.average is not None:
        tensors |= {f"average.{name}": value for name, value in learner.average.weights.items()}
        numbers["average"] = learner.average.steps
    held: dict[int, dict[str, Any]] = learner.optimiser.state_dict()["state"]
    for place, values in held.items():
        for name, value in values.items():
            kind = tensors if isinstance(value, torch.Tensor) else numbers
            kind[f"optimiser.{place}.{name}"] = value
    return Checkpoint(learner.history, tensors, numbers)


def unpack(learner: Learner, state: Checkpoint) -> None:
    """Bring a fresh learner to where another was."""
    try:
        _take_over(learner, state)
    except (KeyError, IndexError, ValueError, RuntimeError) as error:
        raise InputError(
            f"The training state does not fit the network: {error}. Delete its folder to begin anew."
        ) from error


def _take_over(learner: Learner, state: Checkpoint) -> None:
    parts: dict[str, dict[str, Any]] = {"network": {}, "average": {}, "best": {}, "optimiser": {}}
    for name, value in {**state.tensors, **state.numbers}.items():
        part, _, rest = name.partition(".")
        parts[part][rest] = value
    put_weights(learner.network, parts["network"])
    if learner.average is not None:
        learner.average.go_on_from(parts["average"], parts["average"].pop(""))
    _set_optimiser(learner.optimiser, parts["optimiser"])
    learner.settle()
    learner.best = {name: value.to(learner.kept[name].device) for name, value in parts["best"].items()}
    learner.history = state.history


def _set_optimiser(optimiser: torch.optim.Optimizer, values: Mapping[str, Any]) -> None:
    """Fused kernels want moments to lie in memory as their weights do, which safetensors cannot tell."""
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    held: dict[int, dict[str, Any]] = {}
    for name, value in values.items():
        place, _, key = name.partition(".")
        like = weights[int(place)]
        if isinstance(value, torch.Tensor) and value.shape == like.shape:
            value = torch.empty_like(like, dtype=value.dtype).copy_(value)  # noqa: PLW2901
        held.setdefault(int(place), {})[key] = value
    optimiser.load_state_dict({"state": held, "param_groups": optimiser.state_dict()["param_groups"]})
