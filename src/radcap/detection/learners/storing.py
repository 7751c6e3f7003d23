"""A fitted learner as one safetensors file.

Invariant: a file holds arrays, its kind among them as letters, and never code; what is read is checked before
it answers.
"""

# safetensors is typed in part
# pyright: reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from radcap.core import InputError
from radcap.detection.learners.faults import linear_faults, tree_faults
from radcap.detection.learners.linear import LinearLearner
from radcap.detection.learners.tree_learner import TreeLearner
from radcap.formats import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.detection.learners.config import Learner
    from radcap.detection.learners.learner import Arrays, FittedLearner

__all__ = ["load_learner", "save_learner"]

_LINEAR = ("logistic", "perceptron", "svm")


def save_learner(fitted: FittedLearner, path: Path) -> None:
    """Under another name first, so that a file is there whole or not at all; `OSError` on a full disk."""
    kind = np.frombuffer(fitted.kind.encode(), np.uint8)
    arrays = {name: np.ascontiguousarray(one) for name, one in {**fitted.arrays(), "kind": kind}.items()}
    with replacing(path) as part:
        try:
            save_file(arrays, part)
        except SafetensorError as error:
            raise OSError(f"{path} cannot be written: {error}") from error


def load_learner(settings: Learner, path: Path, width: int, labels: int) -> FittedLearner:
    """The learner of a file, for vectors of a width and so many labels."""
    try:
        arrays: Arrays = load_file(path)
        kind = arrays.pop("kind", np.zeros(0, np.uint8)).tobytes().decode("ascii", "replace")
    except Exception as error:  # safetensors and files have errors of their own
        raise _refused(path, str(error)) from error
    if kind != settings.kind:
        raise _refused(path, f"it is of the kind {kind[:60]!r}, and system.toml says {settings.kind!r}")
    is_linear = kind in _LINEAR
    if is_linear:
        faults = linear_faults(arrays, width, labels)
    else:
        faults = tree_faults(arrays, width, labels, settings.depth)
    if faults:
        raise _refused(path, "; ".join(faults))
    return (LinearLearner if is_linear else TreeLearner).of_arrays(kind, arrays)


def _refused(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} cannot be used as a learner: {why}. The model is damaged or not whole: get it again, or"
        " train it again.",
        path=str(path),
    )
