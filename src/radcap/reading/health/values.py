"""The state of an installation as values.

Invariant: a feature that is not ready says why, and names one command or step that gets it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal

__all__ = ["Asset", "Extra", "Feature", "Health", "Machine", "Package", "Place", "Verdict"]


class Verdict(StrEnum):
    """How much of a feature works here."""

    READY = "ready"
    PART = "in part"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that radcap does; `why` and `how` are empty where it is ready."""

    name: str
    verdict: Verdict
    why: str = ""
    how: str = ""


@dataclass(frozen=True, slots=True)
class Package:
    """A package that is needed; without a version it is not installed."""

    name: str
    version: str | None


@dataclass(frozen=True, slots=True)
class Extra:
    """A set of packages that `pip install 'radcap[NAME]'` brings; the base install has no name."""

    name: str
    packages: tuple[Package, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.packages if one.version is None)


@dataclass(frozen=True, slots=True)
class Asset:
    """A model, data or weights. `state` is for people; `broken` where files are not those that shipped."""

    name: str
    kind: Literal["model", "base", "data"]
    size_bytes: int
    licence: str
    state: str
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that radcap writes to."""

    what: str
    path: str
    free_bytes: int
    writable: bool


@dataclass(frozen=True, slots=True)
class Machine:
    """What radcap runs on; `gpu` and `java` are for people, whether they are there or not."""

    python: str
    system: str
    cores: int
    memory_bytes: int | None
    gpu: str
    torch_loads: bool  # where it is installed
    java: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Health:
    """All of it; `problems` are what makes an installation broken, each with what to do."""

    radcap: str
    machine: Machine
    extras: tuple[Extra, ...]
    assets: tuple[Asset, ...]
    features: tuple[Feature, ...]
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
