"""What is explained: a score of the model, named without the model.

Invariant: a target is a value; a lens (`explanation.lenses`) turns it into a number that can be derived.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from radcap.core import Cui

__all__ = ["Concept", "Contrast", "Neighbour", "Span", "Target"]


@dataclass(frozen=True, slots=True)
class Concept:
    """The logit of a concept, before any sigmoid."""

    cui: Cui


@dataclass(frozen=True, slots=True)
class Span:
    """The sum of the log-probabilities of some tokens of a caption, given all before them.

    `tokens` is the whole caption without marks; `first` to `last` (not with it) are those that count.
    """

    tokens: tuple[int, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """How near the image is to one image of the index, by its place there."""

    place: int


@dataclass(frozen=True, slots=True)
class Contrast:
    """Why `this` and not `other`: the difference of their scores."""

    this: Concept | Span
    other: Concept | Span


Target: TypeAlias = Concept | Span | Neighbour | Contrast
