"""A network with all that changes while it learns.

Invariant: `kept` holds what the last good epoch ended with (the average where one is taken), so that an epoch
which goes wrong costs nothing but itself; `best` is the one of the best epoch.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import nn

from radcap.vision.training.averaging import Average
from radcap.vision.training.compiling import compiled
from radcap.vision.training.history import History
from radcap.vision.training.optimisers import make_optimiser

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.vision.settings import TrainSettings
    from radcap.vision.training.devices import Place
    from radcap.vision.training.history import EpochRow

__all__ = ["Learner", "Weights", "put_weights", "weights_of"]

Weights: TypeAlias = dict[str, torch.Tensor]


class Learner:
    """The network, how it is stepped, its optimiser and average, and what it has come to."""

    def __init__(self, network: nn.Module, settings: TrainSettings, place: Place) -> None:
        network.to(place.device, memory_format=_layout(network))  # type: ignore[call-overload]
        self.network = network
        self.history = History(watch=settings.watch)
        self.optimiser = make_optimiser(network, settings, place.device)
        self.average = Average(_trained(network), settings.ema) if settings.ema else None
        self.module = _wrapped(network, settings, place)
        self.kept: Weights = {}
        self.best: Weights = {}

    def settle(self) -> None:
        """The weights as they are now become those that are kept."""
        if self.average is not None:
            self.kept = {name: value.clone() for name, value in self.average.weights.items()}
        else:
            self.kept = weights_of(self.network)

    @property
    def is_sound(self) -> bool:
        """Whether all that is kept are numbers."""
        held = [one for one in self.kept.values() if one.dtype.is_floating_point]
        return bool(torch.stack([one.isfinite().all() for one in held]).all()) if held else True

    def note(self, row: EpochRow) -> None:
        """An epoch is over, and `kept` is its outcome."""
        self.history += row
        if self.history.best is row:
            self.best = self.kept


def weights_of(network: nn.Module) -> Weights:
    """A copy of the weights, which training does not change; those that are never trained are left out."""
    return {name: value.detach().clone() for name, value in _trained(network).items()}


def put_weights(network: nn.Module, weights: Weights) -> None:
    """Weights as `weights_of` gave them, back into the network."""
    wrong = sorted(_trained(network).keys() ^ weights.keys())
    if wrong:
        raise KeyError(f"weights of another network, {wrong[0]} among them")
    network.load_state_dict(weights, strict=False)


def _trained(network: nn.Module) -> Weights:
    """The weights themselves, which training changes in place, without those that it never does."""
    weights = network.named_parameters(remove_duplicate=False)  # a weight may go by two names
    fixed = {name for name, weight in weights if not weight.requires_grad}
    return {name: value for name, value in network.state_dict().items() if name not in fixed}


def _layout(network: nn.Module) -> torch.memory_format:
    """Channels last, which networks of images are quick with; films have no such layout."""
    films = any(one.ndim == 5 for one in network.parameters())  # noqa: PLR2004 - with time
    return torch.preserve_format if films else torch.channels_last


def _wrapped(network: nn.Module, settings: TrainSettings, place: Place) -> Callable[..., torch.Tensor]:
    """The network as it is stepped: over several processes, compiled, or as it is."""
    module: nn.Module = network
    if place.world > 1:
        ids = [place.device.index] if place.device.type == "cuda" else None
        module = nn.parallel.DistributedDataParallel(network, device_ids=ids)
    return compiled(module, place) if settings.compile else module
