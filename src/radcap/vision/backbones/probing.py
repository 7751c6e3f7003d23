"""What a network gives for an image of a size, found out without computing anything.

Invariant: the twin that is asked has shapes and no numbers (torch's meta device), so a description that no
machine could hold is refused without trying.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch

from radcap.core import RadcapError, UsageError
from radcap.vision.backbones.geometry import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import nn

__all__ = ["Probed", "first_line", "probe"]

_PLACES = 4  # images, channels, rows, columns
_LARGEST = 10_000_000_000  # weights of a network that is built
_TOLD = 200  # letters of another library's complaint


@dataclass(frozen=True, slots=True)
class Probed:
    """The channels of the map, the weights that have no part in it, and those that have."""

    width: int
    idle: tuple[str, ...]
    used: frozenset[str] = frozenset()

    def settle(self, body: nn.Module) -> None:
        """Weights without a part are not trained: training on several devices waits for each that is."""
        for name in self.idle:
            body.get_parameter(name).requires_grad_(False)


def probe(make: Callable[[], nn.Module], size: int, name: str) -> Probed:
    """Ask the twin of a network about images of a size, or refuse the size."""
    try:
        with torch.device("meta"), torch.enable_grad():
            twin = make().eval()
            features = twin(torch.empty(1, CHANNELS, size, size))
            names, weights = zip(*twin.named_parameters(), strict=True)
            slopes = torch.autograd.grad(features.sum(), weights, allow_unused=True)
    except RadcapError:
        raise
    except Exception as error:  # timm and transformers raise what their many parts raise
        why = f"{name} cannot be built for images of {size} pixels: {first_line(error)}"
        raise UsageError(f"{why}. Give another size, or another network.") from error
    if (many := sum(one.numel() for one in weights)) > _LARGEST:
        told = f"{name} is described with {many:,} weights, and {_LARGEST:,} are the most"
        raise UsageError(f"{told}. Name another network.")
    if features.ndim != _PLACES or not features.numel():
        raise UsageError(f"{name} gives no map for images of {size} pixels. Give a larger size.")
    used = cast("tuple[torch.Tensor | None, ...]", slopes)
    idle = [one for one, slope in zip(names, used, strict=True) if slope is None]
    return Probed(int(features.shape[1]), tuple(idle), frozenset(names) - {*idle})


def first_line(error: Exception) -> str:
    """Another library's complaint in short."""
    told = str(error).strip().partition("\n")[0] or type(error).__name__
    return told[:_TOLD].rstrip(".")
