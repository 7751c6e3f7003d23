"""From statements to maps over the picture.

Invariant: the targets of one network are explained in one call. Maps of a statement's paths are each brought
to a whole of one and added by their shares, as the model put them together; a map without any relevance is
none.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from radcap.core import UsageError
from radcap.explanation.families import default_method, family_of
from radcap.explanation.lenses.joint_lens import JointLens, alike
from radcap.explanation.methods import make_method

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.methods import Method
    from radcap.explanation.subjects import Path, Statement
    from radcap.explanation.targets import Target

__all__ = ["AUTO", "Mapped", "MethodChoice", "mapped"]

AUTO = "auto"
_ONLY_ASKS = ("occlusion",)  # methods that see nothing of a network but its scores


@dataclass(frozen=True, slots=True)
class MethodChoice:
    """A method by name for every network, or the one that the study found best for each kind of network.

    `settings` are given to the methods they name, in place of their own.
    """

    name: str = AUTO
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, "Mapping[str, Any]"])

    def for_lens(self, lens: Lens) -> str:
        return default_method(family_of(lens)) if self.name == AUTO else self.name

    def make(self, lens: Lens) -> Method:
        name = self.for_lens(lens)
        return make_method(name, **self.settings.get(name, {}))


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """The map of a statement, or why there is none."""

    map: NDArray[np.float32] | None
    spread: NDArray[np.float32] | None = None
    why: str = ""
    methods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """What is to be explained of one network."""

    lens: Lens
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The map of one path over the picture, height x width."""

    map: torch.Tensor
    spread: torch.Tensor | None


def mapped(statements: Sequence[Statement], choice: MethodChoice, height: int, width: int) -> list[Mapped]:
    """A map of this height and width for each statement."""
    parts: dict[tuple[int, Target], _Part | str] = {}
    for group in _groups(_by_lens(statements), choice):
        parts |= _explained(group, choice, height, width)
    return [_joined(one, parts, choice) for one in statements]


def _groups(asked: Sequence[_Asked], choice: MethodChoice) -> list[list[_Asked]]:
    """Networks that share their looks, where the method only looks: a captioner and its detector."""
    found: list[list[_Asked]] = []
    for one in asked:
        name = choice.for_lens(one.lens)
        fits = [
            group
            for group in found
            if name in _ONLY_ASKS
            and choice.for_lens(group[0].lens) == name
            and alike(group[0].lens, one.lens)
        ]
        if fits:
            fits[0].append(one)
        else:
            found.append([one])
    return found


def _by_lens(statements: Sequence[Statement]) -> list[_Asked]:
    found: dict[int, tuple[Lens, dict[Target, None]]] = {}
    for statement in statements:
        for path in statement.paths:
            found.setdefault(id(path.lens), (path.lens, {}))[1][path.target] = None
    return [_Asked(lens, tuple(targets)) for lens, targets in found.values()]


def _explained(
    group: Sequence[_Asked], choice: MethodChoice, height: int, width: int
) -> Mapping[tuple[int, Target], _Part | str]:
    """A part for each target, or the sentence why the method does not serve this network."""
    owners = {target: one.lens for one in group for target in one.targets}
    targets, first = list(owners), group[0].lens
    lens = first if len(group) == 1 else JointLens(owners)
    try:
        found = choice.make(first)(lens, targets)
    except UsageError as error:
        return {(id(owners[one]), one): str(error) for one in targets}
    maps = lens.frame.over_picture(found.maps.detach().float(), height, width).cpu()
    spreads = None
    if found.spread is not None:
        spreads = lens.frame.over_picture(found.spread.detach().float(), height, width).cpu()
    return {
        (id(owners[one]), one): _Part(maps[number], None if spreads is None else spreads[number])
        for number, one in enumerate(targets)
    }


def _joined(
    statement: Statement, parts: Mapping[tuple[int, Target], _Part | str], choice: MethodChoice
) -> Mapped:
    held = [(path, parts[id(path.lens), path.target]) for path in statement.paths]
    methods = tuple(dict.fromkeys(choice.for_lens(path.lens) for path in statement.paths))
    refused = [part for _, part in held if isinstance(part, str)]
    there = [(path, part) for path, part in held if isinstance(part, _Part)]
    alive = [(path, part) for path, part in there if _size(part) > 0]
    if not alive:
        empty = "The method finds nothing in the image that speaks for it, so there is nothing to show."
        if refused or not held:
            return Mapped(None, why=refused[0] if refused else statement.note)
        return Mapped(None, why=empty, methods=methods)
    whole = sum(path.share for path, _ in alive)
    total = sum(_scaled(path, part.map, part) for path, part in alive) / whole
    spread = _spread(alive, whole)
    why = refused[0] if refused else ""
    return Mapped(torch.as_tensor(total).numpy(), spread, why, methods)


def _size(part: _Part) -> float:
    size = float(part.map.abs().sum())
    return size if torch.isfinite(part.map).all() else 0.0


def _scaled(path: Path, values: torch.Tensor, part: _Part) -> torch.Tensor:
    return values * (path.share / _size(part))


def _spread(alive: Sequence[tuple[Path, _Part]], whole: float) -> NDArray[np.float32] | None:
    """Of a sum, by the parts that know theirs."""
    known = [_scaled(path, part.spread, part).square() for path, part in alive if part.spread is not None]
    return (torch.stack(known).sum(dim=0).sqrt() / whole).numpy() if known else None
