"""What is wrong with the arrays of a stored learner.

Invariant: arrays without a fault answer for every vector of the width, with numbers, in bounded time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from radcap.detection.learners.learner import Arrays

__all__ = ["linear_faults", "tree_faults"]

_LINEAR = {"weights": (np.float32, 2), "offsets": (np.float32, 1)}
_TREES = {
    "features": (np.int32, 1),
    "left": (np.int32, 1),
    "rows": (np.int32, 1),
    "roots": (np.int32, 1),
    "width": (np.int32, 1),
    "thresholds": (np.float32, 1),
    "values": (np.float32, 2),
    "offsets": (np.float32, 1),
}


def linear_faults(arrays: Arrays, width: int, labels: int) -> list[str]:
    """Sentences without their full stop; none where all is well."""
    wrong = list(_unlike(arrays, _LINEAR))
    if wrong:
        return wrong
    return list(_linear(arrays, width, labels))


def tree_faults(arrays: Arrays, width: int, labels: int, depth: int) -> list[str]:
    """Of trees that no way is longer through than `depth`."""
    wrong = list(_unlike(arrays, _TREES))
    if wrong:
        return wrong
    return (
        list(_shapes(arrays, width, labels))
        or list(_places(arrays, width))
        or list(_ways(arrays["left"], arrays["roots"], depth))
    )


def _unlike(arrays: Arrays, wanted: Mapping[str, tuple[type, int]]) -> Iterator[str]:
    if arrays.keys() != wanted.keys():
        yield f"it holds {', '.join(sorted(arrays)) or 'nothing'}, not {', '.join(sorted(wanted))}"
        return
    for name, (kind, dimensions) in wanted.items():
        found = arrays[name]
        if found.dtype != kind or found.ndim != dimensions:
            yield f"{name} are {found.dtype} in {found.ndim} dimensions"


def _linear(arrays: Arrays, width: int, labels: int) -> Iterator[str]:
    weights, offsets = arrays["weights"], arrays["offsets"]
    if weights.shape != (width, labels) or offsets.shape != (labels,):
        yield (
            f"its weights are {weights.shape} and its offsets {offsets.shape}, for {width:,} features and"
            f" {labels:,} labels"
        )
    for name in ("weights", "offsets"):
        if not np.isfinite(arrays[name]).all():
            yield f"{name} hold NaN or infinity"


def _shapes(arrays: Arrays, width: int, labels: int) -> Iterator[str]:
    nodes, trees, outputs = len(arrays["features"]), len(arrays["roots"]), arrays["values"].shape[1]
    if arrays["width"].tolist() != [width]:
        yield f"it asks for {arrays['width'].tolist()} features, and vectors have {width:,}"
    if len(arrays["offsets"]) != labels or outputs not in (1, labels):
        offsets = len(arrays["offsets"])
        yield f"it has {offsets:,} offsets and {outputs:,} values a leaf, for {labels:,} labels"
    if not trees or not nodes or (outputs == 1 and trees % labels):
        yield f"it has {trees:,} trees of {nodes:,} nodes, for {labels:,} labels"
    if {len(arrays[name]) for name in ("left", "rows", "thresholds")} != {nodes}:
        yield "its nodes are not all described"


def _places(arrays: Arrays, width: int) -> Iterator[str]:
    nodes, left, thresholds = len(arrays["left"]), arrays["left"], arrays["thresholds"]
    own = np.arange(nodes)
    is_leaf = (left == own) & np.isposinf(thresholds)
    if not (is_leaf | ((left > own) & (left < nodes - 1) & np.isfinite(thresholds))).all():
        yield "a node has children that are none, or a threshold that is no number"
    tops = {"features": width, "rows": len(arrays["values"]), "roots": nodes}
    for name, top in tops.items():
        if arrays[name].min() < 0 or arrays[name].max() >= top:
            yield f"{name} go beyond {top:,}"
    for name in ("values", "offsets"):
        if not np.isfinite(arrays[name]).all():
            yield f"{name} hold NaN or infinity"


def _ways(left: NDArray[np.int32], here: NDArray[np.int32], depth: int) -> Iterator[str]:
    steps = 0
    while (left[here] != here).any():  # children come after their parents, so it ends
        if steps == depth:
            yield f"its trees are deeper than {depth:,}"
            return
        below = left[here]
        here, steps = np.unique(np.concatenate([below, below + (below != here)])), steps + 1
