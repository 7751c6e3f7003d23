"""How a detector that does not know a modality can keep silent about it.

Invariant: for each threshold stands what it costs: how many images still get a modality, how many of those
get the right one, and how many images of a modality without a name of its own are named anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import MODALITIES
from radcap.detection.examples import label_matrix

if TYPE_CHECKING:
    from radcap.datasets import Dataset
    from radcap.detection.models.network_model import NetworkModel

__all__ = ["abstention"]

_THRESHOLDS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95)


_RARE = ("NM", "PET")  # scintigraphy and PET, of which there are too few to learn


def abstention(model: NetworkModel, data: Dataset) -> dict[str, Any]:
    """Of the test split, and of every image of a rare modality, most of which training saw."""
    test = data.split("test")
    rare = data.filter(np.isin(np.array(data.column("modality").to_pylist()), _RARE))
    columns = [place for place, cui in enumerate(model.labels) if cui in MODALITIES]
    truth = label_matrix(test, model.labels)[:, columns]
    known = truth.sum(axis=1) == 1
    said, others = (np.asarray(model.answers(one).probabilities)[:, columns] for one in (test, rare))
    top, others = said.max(axis=1), others.max(axis=1)
    right = said.argmax(axis=1) == truth.argmax(axis=1)
    rows = [
        {
            "named_from": cut,
            "images_named": float((top[known] >= cut).mean()),
            "right_of_those": float(right[known & (top >= cut)].mean()),
            "unknown_named_anyway": float((others >= cut).mean()),
        }
        for cut in _THRESHOLDS
    ]
    unseen = int((np.array(rare.column("split").to_pylist()) == "test").sum())
    return {"n": int(known.sum()), "n_unknown": len(others), "unknown_not_learnt": unseen, "thresholds": rows}
