"""Where cases come from: the index beside a shipped model, or one made from a dataset on the spot.

Invariant: cases are training images alone, embedded by the very network that is explained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.core import InputError, counted
from radcap.datasets import load_dataset
from radcap.detection.examples import label_matrix
from radcap.detection.retrieval import NeighbourIndex, load_index
from radcap.explanation.rationale.cases import IndexedCases
from radcap.zoo.finding import find

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.models.network_model import NetworkModel

__all__ = ["FOLDER", "case_index", "cases_of", "find_cases"]

FOLDER = "cases"
_DATASET = "radiology-open"  # what the shipped models were trained on
_BATCH = 32


def find_cases(model: str | Path) -> IndexedCases | None:
    """The cases that lie beside a model (`zoo:NAME` or its folder); None where there are none."""
    folder = find(model) / FOLDER
    if not folder.is_dir():
        return None
    return IndexedCases(load_index(folder), load_dataset(_DATASET))


def cases_of(
    model: NetworkModel,
    dataset: Dataset,
    split: str = "train",
    progress: Callable[[str, int], None] | None = None,
) -> IndexedCases:
    """The cases of a dataset for any network; images that will not decode are left out."""
    return IndexedCases(case_index(model, dataset.split(split), progress), dataset)


def case_index(
    model: NetworkModel, images: Dataset, progress: Callable[[str, int], None] | None = None
) -> NeighbourIndex:
    """An index of images with the labels that the model knows."""
    from radcap.vision.pictures.streaming import stream  # torch comes with it, and who shows cases has none

    ids: list[str] = []
    parts: list[NDArray[np.float32]] = []
    for shot in stream(images, model.view, _BATCH, threads=0):
        if shot.ids:
            parts.append(model.look(shot)[1])
        ids += shot.ids
        if progress is not None:
            progress("images", len(ids))
    if not ids:
        raise InputError(f"{images.name}: of {counted(len(images))} none can be a case. Check them first.")
    seen = set(ids)
    kept = images.filter(np.array([one in seen for one in images.ids], np.bool_))
    truth = label_matrix(kept, model.labels)
    return NeighbourIndex.of(np.concatenate(parts), ids, model.labels, truth)
