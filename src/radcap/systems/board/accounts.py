"""What the training of a system has cost so far, in a file beside its model.

Invariant: whatever ends a training, no more than its last seconds are forgotten.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from radcap.detection.training.spending import Spent
from radcap.formats import replacing

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Account", "read_memory", "write_memory"]

_OFTEN_S = 2.0


@dataclass
class Account:
    """The seconds of all pieces of a training, also of those that were cut off."""

    file: Path
    fingerprint: str
    spent: Spent = field(default_factory=Spent)
    began: float = field(default_factory=time.monotonic)
    kept: float = float("-inf")

    def goes_on(self) -> bool:
        """Whether the file is of the same training, whose seconds then count."""
        known = read_memory(self.file)
        if known.get("fingerprint") != self.fingerprint:
            return False
        self.spent = Spent(float(known["seconds"]), set(known.get("networks", ())))
        return True

    def keep(self) -> None:
        """Write down what was spent until now, unless that was done a moment ago."""
        now = time.monotonic()
        if now - self.kept < _OFTEN_S:
            return
        self.kept = now
        seconds = self.spent.seconds + now - self.began
        told = {
            "fingerprint": self.fingerprint,
            "seconds": seconds,
            "networks": sorted(self.spent.networks),
        }
        write_memory(self.file, told)

    def close(self) -> None:
        """The piece ends."""
        now = time.monotonic()
        self.spent.seconds += now - self.began
        self.began, self.kept = now, float("-inf")
        self.keep()


def read_memory(path: Path) -> dict[str, Any]:
    """A JSON object of ours; nothing where there is none that can be read."""
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", told) if isinstance(told, dict) else {}


def write_memory(path: Path, told: dict[str, Any]) -> None:
    """All of it or nothing: what was there before stays until the new one is whole."""
    with replacing(path) as part:
        part.write_text(json.dumps(told), encoding="utf-8")
