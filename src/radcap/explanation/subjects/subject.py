"""What a model said of one image, each statement with the networks it comes from.

Invariant: a statement without paths cannot be shown in the image, and its note says why. The shares of the
paths of a statement sum to one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from radcap.explanation.values import IMAGE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target
    from radcap.explanation.values import Kind

__all__ = ["Path", "Statement", "Subject"]


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A way by which the image came to a statement: a score of one network, by its share."""

    lens: Lens
    target: Target
    share: float = 1.0
    name: str = IMAGE


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """Something that was said. `voices` decided on it together, by `target`; `paths` are what is mapped."""

    key: str
    kind: Kind
    label: str
    paths: tuple[Path, ...] = ()
    target: Target | None = None
    voices: tuple[tuple[Lens, float], ...] = ()
    cui: Cui = ""
    probability: float | None = None
    place: tuple[int, int] | None = None
    localisable: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One image and all that was said of it; `vector` is what it is compared by, where it is known."""

    image: str
    picture: NDArray[np.uint8]
    statements: tuple[Statement, ...]
    caption: str = ""
    neighbours: tuple[tuple[str, float], ...] = ()  # training images that answered, with their likeness
    vector: NDArray[np.float32] | None = None
    notes: tuple[str, ...] = field(default=())
