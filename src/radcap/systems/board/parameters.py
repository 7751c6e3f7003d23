"""How many numbers a model has learnt."""

# safetensors is typed in part
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from safetensors import safe_open

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["numbers_in"]


def numbers_in(weights: Path) -> int:
    """The numbers in a file of weights; what goes by words may have none."""
    if not weights.exists():
        return 0
    held: Any
    with safe_open(weights, "numpy") as held:
        return sum(prod(held.get_slice(name).get_shape()) for name in held.keys())  # noqa: SIM118
