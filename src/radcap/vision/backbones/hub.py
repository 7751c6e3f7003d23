"""The hub that published weights come from.

Invariant: that it cannot be reached is found out in seconds, and what its cache holds is had all the same.
"""

from __future__ import annotations

import socket
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["without_waiting"]

_PATIENCE_S = 5.0
_PORTS = {"http": 80, "https": 443}


@contextmanager
def without_waiting() -> Generator[None]:
    """A block in which the hub's client does not try again and again, aloud, where nobody answers."""
    constants: Any = import_module("huggingface_hub.constants")
    offline = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = offline or not _answers(constants.ENDPOINT)
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = offline


def _answers(address: str) -> bool:
    """Whether somebody listens there. Behind a proxy only asking would tell."""
    parts = urlsplit(address)
    if getproxies().keys() & {parts.scheme, "all"}:
        return True
    try:
        place = (parts.hostname or "", parts.port or _PORTS[parts.scheme])
        with socket.create_connection(place, timeout=_PATIENCE_S):
            return True
    except (OSError, LookupError, ValueError):  # nobody there, or no address
        return False
