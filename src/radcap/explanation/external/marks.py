"""What was drawn over a picture: pixels of no shade that a scanner gives, in pieces that hang together.

Invariant: a piece is drawn in one of three ways (as white as can be, as black as can be, or in colour), and
its pixels touch by side or corner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.survey.components import components

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["drawn_pieces", "pieces"]

_WHITE, _BLACK = 250, 5  # shades from which on a pixel counts as drawn; JPEG blurs the last steps
_COLOUR = 60  # between the strongest and the weakest colour: scans are grey


def drawn_pieces(
    picture: NDArray[np.uint8], smallest: int, largest: int
) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Pieces of so many pixels (rows of down and across), with how they are drawn."""
    low, high = picture.min(axis=2), picture.max(axis=2)
    is_coloured = high.astype(np.int16) - low >= _COLOUR
    drawn = {"white": low >= _WHITE, "black": high <= _BLACK, "colour": is_coloured}
    for name, mask in drawn.items():
        for piece in pieces(mask, smallest, largest):
            yield name, piece


def pieces(mask: NDArray[np.bool_], smallest: int, largest: int) -> list[NDArray[np.int64]]:
    """The pixels of each part of a mask that hangs together, where they are neither too few nor too many."""
    places = np.argwhere(mask)
    labels = components(len(places), _neighbours(mask))
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    groups = np.split(places[order], cuts)
    return [one for one in groups if max(smallest, 1) <= len(one) <= largest]


def _neighbours(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Pairs of pixels of the mask that touch, by their numbers among its pixels."""
    numbers = np.cumsum(mask, dtype=np.int64).reshape(mask.shape) - 1
    views = (
        (np.s_[:, :-1], np.s_[:, 1:]),
        (np.s_[:-1, :], np.s_[1:, :]),
        (np.s_[:-1, :-1], np.s_[1:, 1:]),
        (np.s_[:-1, 1:], np.s_[1:, :-1]),
    )
    found: list[NDArray[np.int64]] = []
    for one, other in views:
        both = mask[one] & mask[other]
        found.append(np.stack([numbers[one][both], numbers[other][both]], axis=1))
    return np.concatenate(found)
