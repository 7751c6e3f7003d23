"""Training images with their captions, found by what an image looks like."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from radcap.captioning.models.answers import NeighbourCaption
from radcap.core import Missing
from radcap.detection.retrieval import load_index, save_index

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.captioning.models.folder import CaptionFolder
    from radcap.detection.retrieval import NeighbourIndex

__all__ = ["CAPTIONS", "Recall", "load_recall", "save_recall"]

CAPTIONS = "captions.json"


@dataclass(frozen=True, slots=True, eq=False)
class Recall:
    """An index, and the caption of each of its images; `own` are the groups of those that must not recall
    images of their own group."""

    index: NeighbourIndex
    captions: tuple[str, ...]
    own: Mapping[str, str] = field(default_factory=dict[str, str])

    def apart(self) -> Recall:
        """The same, for the very images that are remembered: none of them recalls itself."""
        return replace(self, own=dict(zip(self.index.ids, self.index.groups, strict=True)))

    def around(self, ids: Sequence[str]) -> list[str] | None:
        """The groups of images that are asked about, where that matters."""
        return [self.own.get(one, "") for one in ids] if self.own else None

    def nearest(
        self, vectors: NDArray[Any], k: int, groups: Sequence[str] | None = None
    ) -> list[tuple[NeighbourCaption, ...]]:
        """The k nearest of each, best first; images of the same group are none, where groups are given."""
        found = self.index.search(vectors, k, exclude_groups=groups)
        rows: list[list[int]] = found.places.tolist()
        near: list[list[float]] = found.scores.tolist()
        return [
            tuple(
                NeighbourCaption(self.index.ids[place], round(score, 6), self.captions[place])
                for place, score in zip(places, scores, strict=True)
                if place >= 0
            )
            for places, scores in zip(rows, near, strict=True)
        ]


def save_recall(recall: Recall, folder: CaptionFolder) -> None:
    """Write the index of neighbours and their captions into the folder of a model."""
    save_index(recall.index, folder.neighbours)
    folder.write_list(CAPTIONS, recall.captions)


def load_recall(folder: CaptionFolder, width: int) -> Recall:
    """Refused where its parts do not fit each other, or vectors of this width."""
    try:
        index = load_index(folder.neighbours)
    except Missing as error:
        raise folder.broken(folder.neighbours.name, str(error).rstrip(".")) from error
    captions = folder.read_list(CAPTIONS)
    if len(captions) != len(index):
        raise folder.broken(CAPTIONS, f"it has {len(captions):,} captions for {len(index):,} images")
    if index.width != width:
        raise folder.broken(folder.neighbours.name, "its vectors are those of another model")
    return Recall(index, captions)
