"""Which images an epoch shows, and in what order.

Invariant: it depends on the seed and the epoch alone. Batches of an epoch are equal in size, so a few images
that are left over wait for another epoch; every process has as many batches as its siblings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from radcap.vision.settings import TrainSettings
    from radcap.vision.training.devices import Place

__all__ = ["epoch_batches"]


def epoch_batches(
    labels: torch.Tensor, settings: TrainSettings, epoch: int, place: Place
) -> tuple[torch.Tensor, ...]:
    """The places of each batch of this process."""
    lots = torch.Generator()
    lots.manual_seed((settings.seed * 1_000_003 + epoch) % 2**63)
    n = len(labels)
    if settings.sampler == "balanced":
        order = torch.multinomial(_weights(labels).cpu(), n, replacement=True, generator=lots)
    else:
        order = torch.randperm(n, generator=lots)
    mine = order[place.rank :: place.world]
    size = max(1, min(settings.batch // place.world, n // place.world))
    count = (n // place.world) // size
    return tuple(mine[start * size : (start + 1) * size].to(place.device) for start in range(count))


def _weights(labels: torch.Tensor) -> torch.Tensor:
    """An image is drawn as often as its rarest label wants it, damped by the square root."""
    counts = labels.sum(dim=0).float().clamp(min=1)
    rarest = torch.where(labels > 0, counts, counts.new_tensor(float("inf"))).amin(dim=1)
    rarest = torch.where(torch.isfinite(rarest), rarest, counts.max())
    return rarest.rsqrt()
