"""Made-up predictions, and expected F1 the slow way: over every set and every outcome."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import MODALITIES, REGIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CT, MR, CHEST = "C0040405", "C0024485", "C0817096"
NAMES = (CT, MR, CHEST, "C0000001", "C0000002", "C0000003")


@cache
def all_sets(labels: int) -> NDArray[np.bool_]:
    return np.array(list(product([False, True], repeat=labels)), dtype=np.bool_).reshape(2**labels, labels)


def set_f1(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    total = int(one.sum() + other.sum())
    return 2 * int((one & other).sum()) / total if total else 1.0


@cache
def f1_table(labels: int, *, empty_scores: bool = True) -> NDArray[np.float64]:
    """F1 of every set (rows) against every outcome (columns)."""
    sets = all_sets(labels)
    table = np.array([[set_f1(one, other) for other in sets] for one in sets])
    if not empty_scores:
        table[0, 0] = 0.0
    return table


def independent_law(probabilities: Sequence[float]) -> NDArray[np.float64]:
    """The probability of every outcome."""
    there = np.asarray(probabilities, dtype=np.float64)
    return np.prod(np.where(all_sets(len(there)), there, 1 - there), axis=1)


def value_of(chosen: NDArray[np.bool_], law: NDArray[np.float64], *, empty_scores: bool = True) -> float:
    """The expected F1 of one set."""
    place = int("".join(str(int(one)) for one in chosen) or "0", 2)
    return float(f1_table(len(chosen), empty_scores=empty_scores)[place] @ law)


def best_value(law: NDArray[np.float64], labels: int, *, empty_scores: bool = True) -> float:
    return float((f1_table(labels, empty_scores=empty_scores) @ law).max())


def predictions(images: int, extra: int = 10, seed: int = 0) -> tuple[Any, Any, tuple[str, ...]]:
    """Logits (float32), truth drawn from them, and labels: modalities, regions and some more."""
    generator = np.random.default_rng(seed)
    labels = (*MODALITIES, *REGIONS, *(f"C9{number:06d}" for number in range(extra)))
    shares = np.concatenate([np.full(16, 0.12), 0.4 / np.arange(2, extra + 2)])
    logits = np.log(shares / (1 - shares)) + 1.5 * generator.normal(size=(images, len(labels)))
    truth = generator.random(logits.shape) < 1 / (1 + np.exp(-logits))
    return logits.astype(np.float32), truth, labels
