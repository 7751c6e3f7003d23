"""Where an edition's code and its documents disagree, read from `differences.toml`.

Invariant: every entry names the editions it holds for; numbers are stable and never reused.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["Difference", "differences"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One disagreement, both sides in their own words."""

    number: int
    editions: tuple[str, ...]
    task: str
    topic: str
    official: str
    documented: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@cache
def _all() -> tuple[Difference, ...]:
    text = files("radcap.metrics").joinpath("differences.toml").read_text("utf-8")
    entries = tomllib.loads(text)["difference"]
    return tuple(Difference(editions=tuple(entry.pop("editions")), **entry) for entry in entries)


def differences(edition: str | None = None) -> tuple[Difference, ...]:
    """Those of one edition, or all."""
    return tuple(one for one in _all() if edition is None or edition in one.editions)
