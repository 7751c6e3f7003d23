"""The lots of one epoch.

Invariant: they depend on the seed and the epoch alone, so that training which goes on after a kill draws what
it would have drawn.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

__all__ = ["Chance"]


@dataclass(frozen=True)
class Chance:
    """Random numbers on a device, and beta variates, which torch has no seeded way to draw."""

    lots: torch.Generator
    betas: np.random.Generator
    device: torch.device
    epoch: int = 0

    @classmethod
    def of(cls, seed: int, epoch: int, device: torch.device) -> Chance:
        seed %= 2**64  # any whole number will do
        lots = torch.Generator(device)
        lots.manual_seed(int(np.random.SeedSequence([seed, epoch]).generate_state(1, np.uint64)[0] >> 1))
        return cls(lots, np.random.default_rng([seed, epoch, 1]), device, epoch)

    def uniform(self, n: int, low: float, high: float) -> torch.Tensor:
        return torch.rand(n, generator=self.lots, device=self.device) * (high - low) + low

    def coin(self, n: int, probability: float) -> torch.Tensor:
        return torch.rand(n, generator=self.lots, device=self.device) < probability

    def normal(self, like: torch.Tensor) -> torch.Tensor:
        shape, kind = like.shape, like.dtype
        return torch.randn(shape, generator=self.lots, device=self.device, dtype=kind)

    def order(self, n: int) -> torch.Tensor:
        return torch.randperm(n, generator=self.lots, device=self.device)

    def beta(self, n: int, alpha: float) -> torch.Tensor:
        drawn = self.betas.beta(alpha, alpha, n).astype(np.float32)
        return torch.from_numpy(drawn).to(self.device, non_blocking=True)
