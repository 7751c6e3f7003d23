"""The largest of very many values.

torch goes through all of them several times. Here the largest of each piece is found first, and only the
pieces that hold one of the wanted are looked through: one time through all.
Invariant: the values are those of `topk`; of equal ones any may be taken, as there.
>>> largest(torch.tensor([[3.0, 1.0, 2.0]]), 2)[1].tolist()
[[0, 2]]
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import torch

__all__ = ["largest"]

_PIECE = 512
_MANY = 64  # pieces below which they gain nothing


def largest(values: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The `count` largest values of each row, best first, and their places."""
    pieces, rest = divmod(values.shape[1], _PIECE)
    if pieces < _MANY * count:
        return values.topk(count, dim=1)
    cut = values[:, : values.shape[1] - rest].unflatten(1, (pieces, _PIECE))
    chosen = cut.amax(dim=2).topk(count, dim=1).indices  # rows x count
    held = cut.gather(1, chosen[..., None].expand(-1, -1, _PIECE)).flatten(1)
    places = (chosen[..., None] * _PIECE + torch.arange(_PIECE, device=values.device)).flatten(1)
    over = torch.arange(values.shape[1] - rest, values.shape[1], device=values.device)
    held = torch.cat([held, values[:, values.shape[1] - rest :]], dim=1)
    places = torch.cat([places, over.expand(len(values), -1)], dim=1)
    best, among = held.topk(count, dim=1)
    return best, places.gather(1, among)
