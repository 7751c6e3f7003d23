"""Greedy search: the most probable token each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.generation.rows import write_rows

if TYPE_CHECKING:
    import torch

    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.generation.pen import Pen
    from radcap.captioning.generation.rows import Rows

__all__ = ["greedy", "likeliest"]


def greedy(pen: Pen, memory: Memory) -> Rows:
    """One caption an image."""
    return write_rows(pen, memory, 1, likeliest)


def likeliest(ruled: torch.Tensor, rows: torch.Tensor, step: int) -> torch.Tensor:  # noqa: ARG001 - the shape of a choice
    """The best token of each row."""
    return ruled.argmax(dim=1)
