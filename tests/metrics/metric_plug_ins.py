"""A stand-in for the entry points by which packages bring metrics."""

from __future__ import annotations

from importlib.metadata import EntryPoints
from typing import TYPE_CHECKING, Protocol

from radcap.metrics import Measured, TextPairs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["OF_LENGTHS", "PlugIns", "stand_in_entry_points"]


class PlugIns(Protocol):
    """Installs providers for one test, by the names of their metrics."""

    def __call__(self, **providers: Callable[[TextPairs], Measured]) -> None: ...


class _EntryPoint:
    def __init__(self, name: str, provider: Callable[[TextPairs], Measured]) -> None:
        self.name = name
        self.group = "radcap.metric"
        self._provider = provider

    def matches(self, **wanted: str) -> bool:
        return all(getattr(self, key) == value for key, value in wanted.items())

    def load(self) -> Callable[[TextPairs], Measured]:
        return self._provider


def stand_in_entry_points(
    providers: Mapping[str, Callable[[TextPairs], Measured]],
) -> Callable[..., EntryPoints]:
    """What `importlib.metadata.entry_points` would answer if packages with these providers were there."""
    found = EntryPoints(_EntryPoint(name, provider) for name, provider in providers.items())  # type: ignore[arg-type]
    return found.select


def _share(weight: float) -> Callable[[TextPairs], Measured]:
    """A value that differs between images and metrics: a share of the words that the reference has."""

    def measure(pairs: TextPairs) -> Measured:
        both = zip(pairs.candidates, pairs.references, strict=True)
        return Measured([weight * len(one.split()) / (len(other.split()) + 1) for one, other in both])

    return measure


# The five metrics of 2025 that radcap has no provider for.
OF_LENGTHS = {
    "similarity": _share(1.5),
    "bertscore": _share(0.7),
    "bleurt": _share(0.3),
    "umls_f1": _share(0.2),
    "alignscore": _share(0.1),
}
