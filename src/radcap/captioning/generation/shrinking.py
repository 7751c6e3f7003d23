"""Leave out of a batch what is finished, so that one long caption does not cost all of them.

Invariant: only who is still there changes, never what is written. A GPU is asked now and then only: to know
how many are finished is to wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["who_goes_on"]

_PACE = 4  # steps of a GPU between two looks


def who_goes_on(going: torch.Tensor, step: int) -> torch.Tensor | None:
    """The places that are kept of those who are going (n, true or false), or None where all stay for now."""
    if going.device.type != "cpu" and step % _PACE != _PACE - 1:
        return None
    left = int(going.sum())
    return None if left * 2 >= len(going) else going.nonzero()[:, 0]
