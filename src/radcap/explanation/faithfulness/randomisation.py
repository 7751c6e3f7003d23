"""Cascading weight randomisation (Adebayo 2018): does a map change as its model becomes noise?

Invariant: the caller's network is never touched. The weights of each tensor are shuffled, and what a shuffled
layer gives is brought to the mean and spread that it gave before, so that activations do not die in networks
whose norms were folded away: a map that vanished would pass without having been tested. Maps are compared
with their sign: a network of noise still sees where an image is bright, but whether it counts that for or
against a statement is chance, and that is what must be lost.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import nn

from radcap.explanation.faithfulness.similarity import rank_correlation
from radcap.explanation.faithfulness.values import Sanity

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.methods.method import Method
    from radcap.explanation.targets import Target

__all__ = ["Stage", "mean_sanity", "sanity", "shuffle_weights", "stages_of"]

_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class Stage:
    """Modules that become noise together, by their names in the network."""

    name: str
    modules: tuple[str, ...]


def sanity(
    method: Method,
    lens_of: Callable[[nn.Module], Lens],
    network: nn.Module,
    targets: Sequence[Target],
    *,
    stages: int = 4,
    seed: int = 0,
) -> Sanity:
    """How alike the maps of one image stay, from the head down through so many stages of the backbone.

    `lens_of` puts a copy of the network before the image, and may do with the copy as it likes.
    Cost: one explanation of the image for each stage, and one for the network as it is.
    """
    plan = stages_of(network, _backbone_name(network, lens_of), stages)
    whole = deepcopy(network)
    with _watched(whole) as levels:
        true = _maps(method, lens_of(whole), targets)
    likeness = [
        _likeness(true, _maps(method, lens_of(noised), targets))
        for noised in _cascade(network, plan, levels, seed)
    ]
    return Sanity(tuple(stage.name for stage in plan), tuple(likeness))


def mean_sanity(parts: Sequence[Sanity]) -> Sanity:
    """Over images: the mean of each stage. All of them come from networks of one shape."""
    likeness = np.array([one.likeness for one in parts]).mean(axis=0)
    return Sanity(parts[0].stages, tuple(float(one) for one in likeness), parts[0].most)


def stages_of(network: nn.Module, backbone: str | None, stages: int) -> tuple[Stage, ...]:
    """From the last module to the first: all outside the backbone, then the backbone in equal parts.

    `backbone` is its name in the network, "" where it is the network, None where it is no part of it. Without
    stages all weights are one.
    """
    names = [name for name, module in _named(network) if list(module.parameters(recurse=False))]
    within = [name for name in names if _is_part(name, backbone)]
    if not stages:
        return (Stage("all weights", tuple(reversed(names))),)
    head = tuple(name for name in reversed(names) if name not in set(within))
    count = min(stages, len(within))
    cuts = [round(place * len(within) / max(1, count)) for place in range(count + 1)]
    blocks = [
        Stage(f"backbone {place}/{count}", tuple(within[::-1][start:end]))
        for place, (start, end) in enumerate(pairwise(cuts), 1)
    ]
    return (*([Stage("head", head)] if head else []), *blocks)


def shuffle_weights(network: nn.Module, modules: Sequence[str], seed: int) -> None:
    """In place: the values of each tensor in another order."""
    lots = torch.Generator().manual_seed(seed)
    for name in modules:
        for tensor in network.get_submodule(name).parameters(recurse=False):
            order = torch.randperm(tensor.numel(), generator=lots).to(tensor.device)
            tensor.data = tensor.data.flatten()[order].view_as(tensor)


def _cascade(
    network: nn.Module, plan: Sequence[Stage], levels: Mapping[str, Level], seed: int
) -> Iterator[nn.Module]:
    """Copies with ever more noise; each is the caller's own."""
    noised = deepcopy(network)
    for place, stage in enumerate(plan):
        shuffle_weights(noised, stage.modules, seed + place)
        for name in stage.modules:
            if name in levels:
                noised.get_submodule(name).register_forward_hook(levels[name].kept)
        yield deepcopy(noised)


@dataclass(frozen=True, slots=True)
class Level:
    """The mean and the spread of what a layer gives."""

    mean: float
    spread: float

    def kept(self, _: nn.Module, __: object, given: torch.Tensor) -> torch.Tensor:
        """What a shuffled layer gives, at the level of what it gave before."""
        return (given - given.mean()) / given.std().clamp(min=_LEAST) * self.spread + self.mean


@contextmanager
def _watched(network: nn.Module) -> Generator[dict[str, Level]]:
    """The levels of all layers while something runs."""
    levels: dict[str, Level] = {}

    def note(name: str, _: nn.Module, __: object, given: torch.Tensor) -> None:
        if given.numel() > 1:
            told = given.detach()
            levels.setdefault(name, Level(float(told.mean()), float(told.std())))

    with ExitStack() as stack:
        for name, module in _named(network):
            if isinstance(module, nn.Conv2d | nn.Linear):
                stack.callback(module.register_forward_hook(partial(note, name)).remove)
        yield levels


def _backbone_name(network: nn.Module, lens_of: Callable[[nn.Module], Lens]) -> str | None:
    copy = deepcopy(network)
    backbone = lens_of(copy).backbone
    return next((name for name, module in _named(copy) if module is backbone), None)


def _named(network: nn.Module) -> list[tuple[str, nn.Module]]:
    return cast("list[tuple[str, nn.Module]]", list(network.named_modules()))


def _is_part(name: str, backbone: str | None) -> bool:
    return not backbone or name == backbone or name.startswith(f"{backbone}.")


def _maps(method: Method, lens: Lens, targets: Sequence[Target]) -> NDArray[Any]:
    return method(lens, targets).maps.detach().float().cpu().numpy()


def _likeness(true: NDArray[Any], noised: NDArray[Any]) -> float:
    """The mean over targets; a map that vanished is like nothing."""
    pairs = zip(true, np.nan_to_num(noised), strict=True)
    return float(np.mean([rank_correlation(one, other) for one, other in pairs]))
