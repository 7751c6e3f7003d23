"""A captioner for the very images that it remembers, as one learns from what it says of them.

Invariant: asked so, no image is its own neighbour, nor is one of its group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from radcap.captioning.models.opening import Captioner

__all__ = ["apart"]


class _Remembering(Protocol):
    def apart(self) -> Captioner: ...


def apart(model: Captioner) -> Captioner:
    """Its own way of being apart; a captioner that has none remembers nothing."""
    return cast("_Remembering", model).apart() if hasattr(model, "apart") else model
