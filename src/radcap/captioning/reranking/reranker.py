"""What a reranker is, and how one is had by its name.

Invariant: it gives a number to each draft of each image, the higher the better, and equal numbers to equal
drafts of an image; drafts that it is asked about have words. What it learns, it learns from the training
split, and keeps in a folder of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from radcap.captioning.blocks import RERANKERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from radcap.captioning.joining_settings import RerankSettings
    from radcap.captioning.models.eyes import Eyes, Sight
    from radcap.vision.training import Place

__all__ = ["Floats", "Lessons", "Reranker", "Source", "make_reranker"]

Floats: TypeAlias = NDArray[np.float32]


class Reranker(Protocol):
    """Says how good drafts are."""

    @property
    def looks(self) -> bool:
        """Whether it goes by the image, so that it has to be told what was seen."""
        ...

    @property
    def eyes(self) -> Eyes | None:
        """What looks at images for it; none where the captioner's eyes do."""
        ...

    def scores(self, drafts: Sequence[Sequence[str]], sight: Sight | None) -> list[list[float]]:
        """Of the drafts of each image of a batch that was looked at."""
        ...

    def save(self, folder: Path) -> None:
        """Write what it has learnt, if anything."""
        ...


@dataclass(frozen=True, slots=True)
class Lessons:
    """What can be learnt from: captions, and of those whose images can be looked at the vectors too."""

    captions: Sequence[str]
    pairs: Callable[[], tuple[Sequence[str], Floats]]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """What a reranker is made from: lessons, or without them what `folder` keeps of earlier ones."""

    settings: RerankSettings
    place: Place
    folder: Path
    lessons: Lessons | None = None


def make_reranker(source: Source) -> Reranker:
    """The reranker that the settings name."""
    return cast("Reranker", RERANKERS.factory(source.settings.by)(source))
