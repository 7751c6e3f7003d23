"""Training images with their captions, found by what an image looks like, and by what is decided for it.

Invariant: where no image is left that has concepts like those decided for, the plain nearest are told, and
each says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from radcap.captioning.models.answers import NeighbourCaption
from radcap.captioning.models.kin import Kin
from radcap.core import Missing
from radcap.detection.retrieval import load_index, save_index

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.captioning.models.folder import CaptionFolder
    from radcap.captioning.settings import ConditionSettings
    from radcap.core import Cui
    from radcap.detection.retrieval import NeighbourIndex

__all__ = ["CAPTIONS", "NONE_LIKE", "Recall", "load_recall", "save_recall"]

CAPTIONS, CLUSTERS = "captions.json", "clusters.json"
LIKE = "of like concepts"
NONE_LIKE = "nearest, since none has like concepts"


@dataclass(frozen=True, slots=True, eq=False)
class Recall:
    """An index, and the caption of each of its images; `own` are the groups of those that must not recall
    images of their own group."""

    index: NeighbourIndex
    captions: tuple[str, ...]
    kin: Kin | None = None
    own: Mapping[str, str] = field(default_factory=dict[str, str])

    def apart(self) -> Recall:
        """The same, for the very images that are remembered: none of them recalls itself."""
        return replace(self, own=dict(zip(self.index.ids, self.index.groups, strict=True)))

    def around(self, ids: Sequence[str]) -> list[str] | None:
        """The groups of images that are asked about, where that matters."""
        return [self.own.get(one, "") for one in ids] if self.own else None

    def nearest(
        self,
        vectors: NDArray[Any],
        k: int,
        groups: Sequence[str] | None = None,
        decided: NDArray[np.bool_] | None = None,
    ) -> list[tuple[NeighbourCaption, ...]]:
        """The k nearest of each, best first; images of the same group are none, where groups are given.

        Where `decided` (queries x labels) counts, those that are like it.
        """
        found = self.index.search(vectors, k, exclude_groups=groups)
        rows = zip(found.places.tolist(), found.scores.tolist(), strict=True)
        near = [[one for one in zip(*row, strict=True) if one[0] >= 0] for row in rows]
        if self.kin is None or decided is None:
            return [self._told(row) for row in near]
        both = zip(self.kin.nearest(vectors, k, decided, groups), near, strict=True)
        return [self._told(some, LIKE) if some else self._told(row, NONE_LIKE) for some, row in both]

    def _told(self, near: Sequence[tuple[int, float]], found: str = "") -> tuple[NeighbourCaption, ...]:
        return tuple(
            NeighbourCaption(self.index.ids[place], round(score, 6), self.captions[place], found)
            for place, score in near
        )


def save_recall(recall: Recall, folder: CaptionFolder) -> None:
    """Write the index of neighbours and their captions into the folder of a model."""
    save_index(recall.index, folder.neighbours)
    folder.write_list(CAPTIONS, recall.captions)
    if recall.kin is not None and recall.kin.clusters:
        numbers = dict(zip(recall.index.labels, recall.kin.clusters, strict=True))
        folder.write(CLUSTERS, json.dumps(numbers, indent=0))


def load_recall(
    folder: CaptionFolder, width: int, condition: ConditionSettings | None = None, labels: Sequence[Cui] = ()
) -> Recall:
    """Refused where its parts do not fit each other, or vectors of this width; where the condition asks for
    concepts, or the labels that are decided for.
    """
    try:
        index = load_index(folder.neighbours)
    except Missing as error:
        raise folder.broken(folder.neighbours.name, str(error).rstrip(".")) from error
    captions = folder.read_list(CAPTIONS)
    if len(captions) != len(index):
        raise folder.broken(CAPTIONS, f"it has {len(captions):,} captions for {len(index):,} images")
    if index.width != width:
        raise folder.broken(folder.neighbours.name, "its vectors are those of another model")
    if condition is None or not condition.by_concepts:
        return Recall(index, captions)
    if index.labels != tuple(labels):
        raise folder.broken(folder.neighbours.name, "its labels are those of another model")
    clusters = _clusters(folder, index.labels) if condition.clusters else ()
    return Recall(index, captions, Kin(index, clusters, condition.alike))


def _clusters(folder: CaptionFolder, labels: Sequence[Cui]) -> tuple[int, ...]:
    told = folder.read_json(CLUSTERS)
    numbers = [told.get(cui) for cui in labels]
    if not all(isinstance(one, int) for one in numbers):
        raise folder.broken(CLUSTERS, "it holds no number for each label")
    return tuple(cast("list[int]", numbers))
