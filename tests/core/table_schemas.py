"""A schema with every kind of key that a table may have."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Colour", "Extra", "Inner", "Item", "Needs", "Outer", "Typo"]


class Colour(StrEnum):
    GREY = "grey"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Inner:
    zoom: tuple[float, float] = (1.0, 1.0)
    flip: float = 0.0

    def __post_init__(self) -> None:
        if self.zoom[0] > self.zoom[1]:
            raise UsageError(f"zoom is {list(self.zoom)}. The smaller factor comes first.")


@dataclass(frozen=True, slots=True)
class Extra:
    k: int = 5


@dataclass(frozen=True, slots=True)
class Item:
    file: str = ""
    seed: int | None = None
    inner: Inner = field(default_factory=Inner)
    extra: Extra | None = None


@dataclass(frozen=True, slots=True)
class Outer:
    name: str = ""
    epochs: int = 20
    lr: float = 1e-3
    compile: bool = False
    optimiser: Literal["adam", "adamw", "sgd"] = "adam"
    colour: Colour = Colour.GREY
    level: Literal[1, 2] = 1
    hidden: tuple[int, ...] = ()
    words: tuple[str, ...] = ("a",)
    pairs: tuple[tuple[int, str], ...] = ()
    published: Mapping[str, float] = field(default_factory=dict[str, float])
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    parts: Mapping[str, Extra] = field(default_factory=dict[str, Extra])
    threshold: float | tuple[float, ...] | None = None
    inner: Inner = Inner(flip=0.5)
    extra: Extra | None = None
    first: Item = field(default_factory=Item)
    item: tuple[Item, ...] = ()
    made: int = field(default=7, init=False)  # no key


@dataclass(frozen=True, slots=True)
class Needs:
    name: str
    size: int = 1
    inner: Inner = field(default_factory=Inner)


@dataclass(frozen=True, slots=True)
class Typo:
    when: complex = 0j  # nothing in TOML is one
