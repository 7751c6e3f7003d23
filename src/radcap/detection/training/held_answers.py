"""What a member said about the held-out images, kept in its folder for when the ensemble is joined."""

# safetensors is typed in part
# pyright: reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from radcap.core import InputError
from radcap.detection.models.answers import Answers
from radcap.formats import replacing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.detection.models.folder import ModelFolder

__all__ = ["keep_held", "read_held"]

_NAME = "held.safetensors"


def keep_held(folder: ModelFolder, answers: Answers, dataset: Dataset) -> None:
    """Images by their places in the held-out split; `OSError` on a full disk."""
    place = {one: row for row, one in enumerate(dataset.ids)}
    arrays: dict[str, Any] = {
        "places": np.array([place[one] for one in answers.ids], np.int64),
        "decided": np.ascontiguousarray(answers.decided),
    }
    kept = {"logits": answers.logits, "counts": answers.counts}
    arrays |= {name: np.ascontiguousarray(one) for name, one in kept.items() if one is not None}
    with replacing(folder.path / _NAME) as part:
        try:
            save_file(arrays, part)
        except SafetensorError as error:
            raise OSError(f"{folder.path / _NAME} cannot be written: {error}") from error


def read_held(folder: ModelFolder, dataset: Dataset) -> Answers:
    """What was kept, of a dataset that is the same as then."""
    path, ids, labels = folder.path / _NAME, dataset.ids, folder.labels()
    try:
        arrays: dict[str, NDArray[Any]] = load_file(path)
        places: list[int] = arrays["places"].tolist()
        kept = tuple(ids[place] for place in places)
        told = Answers(kept, labels, arrays["decided"].astype(np.bool_), arrays.get("logits"))
        told = replace(told, counts=arrays.get("counts"))
        if not all(
            one.shape == (len(kept), len(labels)) for one in (told.decided, told.logits) if one is not None
        ) or (told.counts is not None and told.counts.shape != (len(kept),)):
            raise ValueError("it is of other images or labels")
    except Exception as error:  # safetensors and files have errors of their own
        raise InputError(
            f"{path} cannot be used: {error}. Delete {folder.path} and train it again.", path=str(path)
        ) from error
    return told
