"""The attention of a bridge: queries that read each other, and look at the places of a feature map.

Invariant: its layers are told by what they are and not by their shapes: as many queries as places would do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.vision.heads.bridged import BridgedHead

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from torch import nn

    from radcap.explanation.lenses.lens import Lens
    from radcap.vision.bridge import AnyBridge

__all__ = ["BRIDGE", "LOOKING", "READING", "bridge_of", "bridge_rooms", "side_of"]

READING, LOOKING = "queries that read", "queries that look"
BRIDGE = (READING, LOOKING)


def bridge_rooms(bridge: AnyBridge) -> Mapping[str, Sequence[nn.Module]]:
    """Where its attention happens."""
    return {READING: bridge.readings(), LOOKING: bridge.lookings()}


def bridge_of(lens: Lens) -> AnyBridge | None:
    """The bridge under the head of a network that names concepts."""
    head = lens.network.head if isinstance(lens, NetworkLens) else None
    return head.bridge if isinstance(head, BridgedHead) else None


def side_of(grid: int, height: int, width: int) -> tuple[int, int]:
    """Of a feature map as it is looked at: pooled to a grid, if there is one."""
    return (grid, grid) if grid and width > grid else (height, width)
