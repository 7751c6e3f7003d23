"""What is wrong with the files of an index.

Invariant: an index without a fault cannot fail later for what stands in its files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["stored_faults"]


def stored_faults(about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> list[str]:
    """Every fault as a short sentence; those of the labels only where all parts are there."""
    found = [*_names(about), *_parts(arrays)]
    return found or [*_vectors(about, arrays), *_tags(about, arrays), *_ranks(arrays)]


def _names(about: dict[str, Any]) -> Iterator[str]:
    if about.get("metric") not in {"cosine", "euclid"}:
        yield f"the metric is {about.get('metric')!r}"
    for name in ("ids", "labels", "groups"):
        names = about.get(name)
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names):  # pyright: ignore[reportUnknownVariableType]
            yield f"{name} are no list of names"


def _parts(arrays: dict[str, NDArray[Any]]) -> Iterator[str]:
    wanted = {"vectors": 2, "starts": 1, "codes": 1}
    wanted |= {name: axes for name, axes in (("steps", 1), ("axes", 2)) if name in arrays}
    wanted |= dict.fromkeys(("ranks", "cut"), 1) if {"ranks", "cut"} & arrays.keys() else {}
    for name, axes in wanted.items():
        if name not in arrays:
            yield f"{name} are missing"
        elif arrays[name].ndim != axes:
            yield f"{name} have the shape {arrays[name].shape}"
    for name in ("starts", "codes"):
        if name in arrays and not np.issubdtype(arrays[name].dtype, np.integer):
            yield f"{name} are no integers"


def _vectors(about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Iterator[str]:
    vectors = arrays["vectors"]
    if len(vectors) != len(about["ids"]):
        yield f"{len(vectors):,} vectors have {len(about['ids']):,} ids"
    if about["groups"] and len(about["groups"]) != len(about["ids"]):
        yield f"{len(about['ids']):,} ids have {len(about['groups']):,} groups"
    if np.issubdtype(vectors.dtype, np.integer) != ("steps" in arrays):
        yield "vectors of integers need steps, others have none"
    for name, width in (("steps", 0), ("axes", 1)):
        if name in arrays and arrays[name].shape[width] != vectors.shape[1]:
            yield f"{name} have the shape {arrays[name].shape} and vectors {vectors.shape}"
    for name in ("vectors", "steps", "axes"):
        if name in arrays and not np.isfinite(arrays[name]).all():
            yield f"{name} hold NaN or infinity"


def _tags(about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Iterator[str]:
    starts, codes = arrays["starts"], arrays["codes"]
    if (
        len(starts) != len(about["ids"]) + 1
        or starts[0]
        or starts[-1] != len(codes)
        or (np.diff(starts) < 0).any()
    ):
        yield "the labels of images begin at places that do not fit"
    if len(codes) and (codes.min() < 0 or codes.max() >= len(about["labels"])):
        yield f"codes of labels go beyond the {len(about['labels']):,} labels"


def _ranks(arrays: dict[str, NDArray[Any]]) -> Iterator[str]:
    """An index of another rule has none."""
    if "ranks" not in arrays:
        return
    ranks, cut = arrays["ranks"], arrays["cut"]
    if ranks.dtype != np.float32 or not len(ranks) or not np.isfinite(ranks).all() or ranks.min() < 0:
        yield "ranks are no weights from 0 on"
    elif not ranks.any():
        yield "ranks are all 0"
    if cut.dtype != np.float32 or cut.shape != (1,) or not 0 < cut[0] < 1:
        yield "the cut is no number between 0 and 1"
