"""An image as a network sees it, with the way back to the picture.

Invariant: the pixels are those that the model decided by: decoded, fitted, trimmed and evened out alike.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import torch

from radcap.datasets.images.letterbox import ROW, letterbox
from radcap.explanation.lenses.frame import Frame
from radcap.vision.pictures.framing import frames
from radcap.vision.pictures.preparing import equalised, trimmed

if TYPE_CHECKING:
    from radcap.vision.pictures import View

__all__ = ["Sighting", "sighted"]


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """`pixels` is 1 x 3 x s x s, 0 to 255, in single precision."""

    pixels: torch.Tensor
    frame: Frame


def sighted(data: bytes, name: str, view: View, device: torch.device) -> Sighting:
    """The bytes of an image, which can be decoded, as a view shows them to its network."""
    square = np.empty((1, view.side, view.side, view.channels), np.uint8)
    row = np.zeros(1, ROW)
    letterbox(data, name, square[0], row)
    squares, whole = torch.from_numpy(square), torch.from_numpy(row["box"].astype(np.float32))
    boxes = trimmed(squares, whole) if view.settings.trim else whole
    if view.settings.clahe:
        squares = equalised(squares, boxes, view.settings.clahe)
    pixels = view(squares.to(device), boxes.to(device))
    return Sighting(pixels, _frame(whole, boxes, view))


def _frame(whole: torch.Tensor, boxes: torch.Tensor, view: View) -> Frame:
    """Where the whole picture lies in what is shown of it."""
    top, left, height, width = (value / view.side for value in cast("list[float]", whole[0].tolist()))
    cx, cy, half_x, half_y = 0.0, 0.0, 1.0, 1.0  # a padded picture is shown with its whole square
    if not view.is_square_itself:
        seen = cast("list[float]", frames(boxes, view.side, view.settings.fit)[0].tolist())
        cx, cy, half_x, half_y = seen[0], seen[1], *(one / view.settings.load for one in seen[2:])

    def across(share: float) -> float:
        return ((2 * share - 1 - cx) / half_x + 1) / 2

    def down(share: float) -> float:
        return ((2 * share - 1 - cy) / half_y + 1) / 2

    return Frame(across(left), down(top), across(left + width), down(top + height))
