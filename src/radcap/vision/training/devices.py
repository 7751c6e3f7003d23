"""Where a network runs: the device, its precision, and which of several processes this is.

Invariant: a system that names a device which is not here is refused with what is here; `auto` takes a GPU
where there is one and the CPU otherwise. Under torchrun each process takes its own GPU.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import distributed

from radcap.core import Missing, UsageError

if TYPE_CHECKING:
    from torch import nn

__all__ = ["Place", "pick_place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A device, and this process among its siblings."""

    device: torch.device
    precision: str = "fp32"
    rank: int = 0
    world: int = 1

    @property
    def is_first(self) -> bool:
        """Only the first process writes."""
        return self.rank == 0

    @property
    def half(self) -> bool:
        """Whether images may be prepared in half precision."""
        return self.device.type == "cuda"

    def autocast(self) -> torch.autocast:
        on = self.precision == "bf16"
        return torch.autocast(self.device.type, torch.bfloat16, enabled=on)

    def agreed(self, value: float) -> float:
        """The first process's value, in every process."""
        if self.world == 1:
            return value
        shared = torch.tensor([value], dtype=torch.float64, device=self.device)
        distributed.broadcast(shared, 0)
        return float(shared.item())

    def mean(self, value: torch.Tensor) -> torch.Tensor:
        """The mean over all processes, in every process."""
        if self.world == 1:
            return value
        total = value.clone()
        distributed.all_reduce(total)
        return total / self.world

    def share(self, network: nn.Module) -> None:
        """The first process's weights, in every process: the counts of norms are kept by each for itself."""
        if self.world > 1:
            for value in network.state_dict().values():
                distributed.broadcast(value, 0)


def pick_place(device: str = "auto", precision: str = "auto") -> Place:
    """The device of a name; joins the group of processes that torchrun started."""
    world, rank, local = (int(os.environ.get(name, "0")) for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK"))
    world = max(world, 1)
    chosen = _device(device)
    has_index = ":" in str(chosen)
    if chosen.type == "cuda" and (world > 1 or not has_index):
        chosen = torch.device("cuda", local)
        torch.cuda.set_device(chosen)
    if world > 1 and not distributed.is_initialized():
        distributed.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    quick = chosen.type == "cuda" and torch.cuda.is_bf16_supported()
    return Place(chosen, ("bf16" if quick else "fp32") if precision == "auto" else precision, rank, world)


def _device(name: str) -> torch.device:
    """What is here under this name."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(name)
    except RuntimeError:
        chosen = None
    if chosen is None or chosen.type not in ("cpu", "cuda"):
        raise UsageError(f"device is {name!r}. Write auto, cpu, cuda or cuda:0.")
    if chosen.type == "cuda" and (chosen.index or 0) >= torch.cuda.device_count():
        seen = torch.cuda.device_count() or "none"
        raise Missing(
            "A GPU", f"Device {name!r} is asked for and torch sees {seen}.", "Train with --device cpu."
        )
    return chosen
