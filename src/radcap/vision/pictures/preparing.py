"""What is done to a picture before any network sees it: borders off, contrast evened out locally.

Invariant: pixels outside of a picture's box stay black; the box of a picture that is one grey all over stays.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import cast

import torch

__all__ = ["equalised", "trimmed"]

_LEVELS = 256
_TILES = 8
_UNIFORM = 12  # levels a border may vary by
_MOST = 0.4  # of a side may be border; beyond that it is the picture


def trimmed(pixels: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
    """Boxes without uniform borders: rows and columns at the edges whose pixels hardly differ."""
    side = pixels.shape[1]
    places = torch.arange(side, device=pixels.device)
    top, left, height, width = (one[:, None] for one in boxes.long().unbind(1))
    down = (places >= top) & (places < top + height)
    across = (places >= left) & (places < left + width)
    grey = pixels.float().mean(dim=3)
    rows = _busy(grey, across[:, None, :], dim=2) & down
    columns = _busy(grey, down[:, :, None], dim=1) & across
    first_row, rows_kept = _span(rows, top[:, 0], height[:, 0])
    first_column, columns_kept = _span(columns, left[:, 0], width[:, 0])
    return torch.stack([first_row, first_column, rows_kept, columns_kept], dim=1).to(boxes.dtype)


def _busy(grey: torch.Tensor, inside: torch.Tensor, dim: int) -> torch.Tensor:
    """Whether a line varies, over the pixels that lie in the box."""
    high = grey.masked_fill(~inside, -1).amax(dim)
    low = grey.masked_fill(~inside, _LEVELS).amin(dim)
    return high - low > _UNIFORM


def _span(busy: torch.Tensor, start: torch.Tensor, length: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """From the first busy line to the last; the whole length where too little would be left."""
    first = busy.float().argmax(dim=1)
    last = busy.shape[1] - busy.flip(1).float().argmax(dim=1)
    kept = last - first
    right = busy.any(dim=1) & (kept >= length * (1 - 2 * _MOST))
    return torch.where(right, first, start), torch.where(right, kept, length)


def equalised(pixels: torch.Tensor, boxes: torch.Tensor, limit: float) -> torch.Tensor:
    """Contrast-limited adaptive histogram equalisation (Zuiderveld 1994), 8 x 8 tiles over each picture.

    A picture is stretched to its tiles, so that tiles of every picture are equal in number; colours keep
    their ratio to the grey value that is changed.
    """
    places = cast("list[list[float]]", boxes.tolist())
    done = [_one(square, box, limit) for square, box in zip(pixels, places, strict=True)]
    return torch.stack(done) if done else pixels


def _one(square: torch.Tensor, box: list[float], limit: float) -> torch.Tensor:
    top, left, height, width = (int(value) for value in box)
    picture = square[top : top + height, left : left + width]
    if min(height, width) < _TILES:
        return square
    grey = picture.float().mean(dim=2)
    even = _tables(grey, limit)
    lit = _looked_up(grey, even)
    factor = lit / grey.clamp(min=1)
    done = square.clone()
    coloured = (picture.float() * factor[:, :, None]).clamp(0, _LEVELS - 1)
    done[top : top + height, left : left + width] = coloured.round().to(torch.uint8)
    return done


def _tables(grey: torch.Tensor, limit: float) -> torch.Tensor:
    """tiles x tiles x levels: what each tile makes of each grey value."""
    height, width = grey.shape
    row = torch.arange(height, device=grey.device) * _TILES // height
    column = torch.arange(width, device=grey.device) * _TILES // width
    tile = row[:, None] * _TILES + column[None, :]
    level = grey.round().long().clamp(0, _LEVELS - 1)
    counts = torch.bincount((tile * _LEVELS + level).flatten(), minlength=_TILES * _TILES * _LEVELS)
    counts = counts.view(_TILES * _TILES, _LEVELS).float()
    size = counts.sum(dim=1, keepdim=True)
    most = (limit * size / _LEVELS).clamp(min=1)
    over = (counts - most).clamp(min=0).sum(dim=1, keepdim=True)
    clipped = torch.minimum(counts, most) + over / _LEVELS
    return (clipped.cumsum(dim=1) / size * (_LEVELS - 1)).view(_TILES, _TILES, _LEVELS)


def _looked_up(grey: torch.Tensor, tables: torch.Tensor) -> torch.Tensor:
    """Each pixel by the four tables around it, weighted by nearness to the middles of their tiles."""
    height, width = grey.shape
    level = grey.round().long().clamp(0, _LEVELS - 1)
    y = (torch.arange(height, device=grey.device) + 0.5) * _TILES / height - 0.5
    x = (torch.arange(width, device=grey.device) + 0.5) * _TILES / width - 0.5
    y, x = y.clamp(0, _TILES - 1), x.clamp(0, _TILES - 1)
    above, before = y.long().clamp(max=_TILES - 2), x.long().clamp(max=_TILES - 2)
    down, right = (y - above)[:, None], (x - before)[None, :]
    a, b = above[:, None], before[None, :]
    upper = tables[a, b, level] * (1 - right) + tables[a, b + 1, level] * right
    lower = tables[a + 1, b, level] * (1 - right) + tables[a + 1, b + 1, level] * right
    return upper * (1 - down) + lower * down
