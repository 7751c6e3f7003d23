"""Where a network runs: the device, its precision, and which of several processes this is.

Invariant: a system that names a device which is not here is refused with what is here; `auto` takes a GPU
where there is one and the CPU otherwise. Under torchrun each process takes its own GPU.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
from torch import distributed

from radcap.core import Missing, UsageError

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


def pick_place(device: str = "auto", precision: str = "auto") -> Place:
    """The device of a name; joins the group of processes that torchrun started."""
    world, rank = (int(os.environ.get(name, fallback)) for name, fallback in (("WORLD_SIZE", 1), ("RANK", 0)))
    local = int(os.environ.get("LOCAL_RANK", 0))
    name = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    try:
        chosen = torch.device(name)
    except RuntimeError:
        raise UsageError(f"device is {device!r}. Write auto, cpu, cuda or cuda:0.") from None
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise Missing(
            "A GPU", f"The system asks for device {device!r} and torch sees none.", "Train with --device cpu."
        )
    if chosen.type == "cuda" and (world > 1 or chosen.index is None):
        chosen = torch.device("cuda", local)
        torch.cuda.set_device(chosen)
    if world > 1 and not distributed.is_initialized():
        distributed.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    torch.backends.cudnn.benchmark = True  # shapes stay the same for a whole run
    quick = chosen.type == "cuda" and torch.cuda.is_bf16_supported()
    return Place(chosen, ("bf16" if quick else "fp32") if precision == "auto" else precision, rank, world)
