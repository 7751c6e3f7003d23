"""How the index of cases is measured, against plain counting."""

from __future__ import annotations

import numpy as np
from script_files import script

from radcap.datasets import Dataset
from radcap.datasets.columns import make_table
from radcap.detection.retrieval import NeighbourIndex, Neighbours

cases = script("build_cases")


def index(ids: list[str], vectors: list[list[float]]) -> NeighbourIndex:
    return NeighbourIndex.of(np.array(vectors, np.float32), ids, [], np.zeros((len(ids), 0), bool))


def test_recall_counts_what_both_found():
    none = np.zeros((2, 2), np.float32)
    found, wanted = (Neighbours(np.array(one), none) for one in ([[0, 1], [2, 3]], [[1, 0], [3, 4]]))
    assert cases.recall(found, wanted) == 0.75


def test_modalities_of_the_nearest_are_compared():
    ids = ["a", "b", "c", "x", "y"]
    data = Dataset("some", make_table({"image_id": ids, "modality": ["CT", "MR", "XR", "CT", "XR"]}, 5))
    train = index(ids[:3], [[1, 0], [0, 1], [-1, 0]])
    test = index(ids[3:], [[0.9, 0.1], [0.1, 0.9]])
    assert cases.measured(train, train, test, data) == {
        "cases": 3,
        "test": 2,
        "same_modality": 0.5,
        "same_modality_full": 0.5,
        "recall_at_5": 1.0,
    }
