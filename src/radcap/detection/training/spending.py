"""What the training of one system costs, over all its pieces.

Invariant: a network that several systems have in common is counted once for each of them, whoever trained it.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Spent"]


@dataclass(slots=True)
class Spent:
    """Seconds, and the networks among what they paid for."""

    seconds: float = 0.0
    networks: set[str] = field(default_factory=set[str])

    def trained(self, network: str) -> None:
        """The system trained it itself, so its seconds are counted with all the others."""
        self.networks.add(network)

    def spared(self, network: str, seconds: float) -> None:
        """Another one trained it, and the system would have needed so long."""
        if network not in self.networks:
            self.networks.add(network)
            self.seconds += seconds

    @contextmanager
    def unpaid(self) -> Generator[None]:
        """A block that takes time and costs nothing, however it ends."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds -= time.monotonic() - began
