"""Weights on disk, small.

Invariant: a file holds names and numbers, never code. In 8 bits each output channel of a convolution or a
layer has a scale of its own (`NAME.scale`), so a weight is off by at most half a step of its channel;
vectors keep single precision. What is read is single precision again, whatever was written.
"""

# safetensors is typed in part
# pyright: reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from radcap.core import InputError
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import nn

__all__ = ["Form", "packed", "read_weight_file", "round_weights", "unpacked", "write_weight_file"]

Form = Literal["fp32", "fp16", "int8"]
_SCALE = ".scale"
_STEPS = 127


def write_weight_file(weights: Mapping[str, torch.Tensor], path: Path, form: Form = "fp16") -> None:
    """Under another name first, so that a file is there whole or not at all; `OSError` on a full disk."""
    with replacing(path) as part:
        try:
            save_file(packed(weights, form), part)
        except SafetensorError as error:
            raise OSError(f"{path} cannot be written: {error}") from error


def read_weight_file(path: Path) -> dict[str, torch.Tensor]:
    """The weights in single precision; counts stay counts."""
    try:
        return unpacked(load_file(path))
    except Exception as error:  # safetensors, files and torch each have errors of their own
        raise InputError(
            f"{path} cannot be read as weights: {error}. The model is damaged or not whole: get it again.",
            path=str(path),
        ) from error


def round_weights(network: nn.Module) -> None:
    """Give a network the weights that its file will give back, so that what is fitted on it fits it then."""
    network.load_state_dict(unpacked(packed(network.state_dict(), "fp16")))


def packed(weights: Mapping[str, torch.Tensor], form: Form) -> dict[str, torch.Tensor]:
    """What is written."""
    done: dict[str, torch.Tensor] = {}
    for name, value in weights.items():
        here = value.detach().cpu().contiguous()
        if not here.dtype.is_floating_point or form == "fp32":
            done[name] = here
        elif form == "fp16":
            done[name] = half if (half := here.half()).isfinite().all() else here
        elif here.ndim > 1:
            done[name], done[f"{name}{_SCALE}"] = _eight_bits(here)
        else:
            done[name] = here.float()
    return done


def unpacked(held: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What was meant."""
    done: dict[str, torch.Tensor] = {}
    for name, value in held.items():
        if name.endswith(_SCALE) and held.get(name.removesuffix(_SCALE), value).dtype == torch.int8:
            continue
        scale = held.get(f"{name}{_SCALE}") if value.dtype == torch.int8 else None
        if scale is not None:
            done[name] = value.float() * scale.view(-1, *[1] * (value.ndim - 1))
        else:
            done[name] = value.float() if value.dtype.is_floating_point else value
    return done


def _eight_bits(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    flat = weight.float().flatten(1)
    scale = flat.abs().amax(dim=1).clamp(min=torch.finfo(torch.float32).tiny) / _STEPS
    steps = torch.round(flat / scale[:, None]).clamp(-_STEPS, _STEPS).to(torch.int8)
    return steps.view_as(weight), scale
