"""Relevance as colour over a picture.

Invariant: where there is no relevance nothing is drawn, so what the model did not look at stays as it was;
warm colours speak for the statement, blue ones against it, and the more the lighter and the less transparent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.pictures.colours import AGAINST, FOR
from radcap.explanation.pictures.relevance import shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OPACITY", "heat", "laid_over", "overlay"]

OPACITY = 0.65


def heat(relevance: NDArray[np.floating], opacity: float = 1.0) -> NDArray[np.uint8]:
    """The map alone, height x width x 4, transparent by what it lacks in relevance."""
    values = shares(relevance)
    colours = np.where((values < 0)[..., None], AGAINST(-values), FOR(values))
    alpha = np.rint(255 * opacity * np.abs(values)).astype(np.uint8)
    return np.concatenate([colours, alpha[..., None]], axis=-1)


def laid_over(picture: NDArray[np.uint8], layer: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A layer (height x width x 4) over a picture of its size."""
    alpha = layer[..., 3:].astype(np.float32) / 255
    mixed = picture * (1 - alpha) + layer[..., :3] * alpha
    return np.rint(mixed).astype(np.uint8)


def overlay(
    picture: NDArray[np.uint8], relevance: NDArray[np.floating], opacity: float = OPACITY
) -> NDArray[np.uint8]:
    """The picture (height x width x 3) with the map of its size over it."""
    return laid_over(picture, heat(relevance, opacity))
