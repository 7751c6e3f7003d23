"""Decisions of made-up probabilities: by radcap for all images at once, and image by image in plain NumPy.

Invariant: all ways see the same probabilities. They are long-tailed, about three and a half labels an image;
truth is drawn from them, so they are calibrated.

    python benchmarks/decision_ways.py expected-f1|gfm|sweep --images 19267
    python benchmarks/decision_ways.py plain|plain-gfm --images 19267 --first 500
    python benchmarks/decision_ways.py loop --images 19267 --at 0.31
"""

from __future__ import annotations

import argparse
from math import exp
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import f1_score
from work import show_work

from radcap.detection.decisions import Decision, gfm, sample_f1
from radcap.detection.decisions.count_gfm import CountGfm
from radcap.detection.decisions.expected_f1 import ExpectedF1
from radcap.detection.decisions.sweep import best_threshold

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LABELS", "loo_laws", "plain", "plain_gfm", "synthetic_predictions"]

LABELS = 2_479
_CANDIDATES = Decision().candidates
_TAIL = 30  # terms of the Poisson law: far more than these data need
_SEED = 6
_FREQUENT = (0.35, 0.3, 0.2, 0.15, 0.1, 0.1, 0.08, 0.08, 0.06, 0.06, 0.05, 0.05)  # modalities and regions


def synthetic_predictions(images: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Probabilities and truth."""
    random = np.random.default_rng(_SEED)
    rare = 0.11 / np.arange(1, LABELS - len(_FREQUENT) + 1) ** 0.9
    shares = np.concatenate([_FREQUENT, rare]).astype(np.float32)
    values = random.standard_normal((images, LABELS), np.float32)
    values *= 1.5
    values += np.log(shares / (1 - shares)) - 0.7
    np.negative(values, out=values)
    np.exp(values, out=values)
    values += 1
    np.reciprocal(values, out=values)
    return values, random.random((images, LABELS), np.float32) < values


def loo_laws(law: NDArray[np.float64], there: NDArray[np.float64]) -> NDArray[np.float64]:
    """The law of a count with one label taken out, for each label: upwards for p < 1/2, else downwards."""
    without = np.zeros((len(there), len(law) - 1))
    rare, frequent = there < 0.5, there >= 0.5
    low, high = there[rare], there[frequent]
    before: NDArray[np.float64] | float = 0.0
    for t in range(len(law) - 1):
        before = without[rare, t] = (law[t] - low * before) / (1 - low)
    before = 0.0
    for t in range(len(law) - 2, -1, -1):
        before = without[frequent, t] = (law[t + 1] - (1 - high) * before) / high
    return without


def _others(
    row: NDArray[np.float32],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], float]:
    """Candidates, their probabilities, the law of the other labels for each, and P(no label)."""
    top = np.argsort(-row, kind="stable")[:_CANDIDATES]
    there = row[top].astype(np.float64)
    rest = max(float(row.sum(dtype=np.float64) - there.sum()), 0.0)
    law = np.ones(1)
    for p in there:
        law = np.convolve(law, [1 - p, p])
    tail = np.cumprod(np.concatenate([[exp(-rest)], rest / np.arange(1, _TAIL)]))
    without = np.array([np.convolve(one, tail) for one in loo_laws(law, there)])
    return top, there, np.maximum(without, 0.0), float(law[0] * tail[0])


def plain(row: NDArray[np.float32]) -> list[int]:
    """One image, as the formula reads: E_k is the sum over the k likeliest of p E[2 / (k + 1 + others)]."""
    top, there, others, none = _others(row)
    sizes = np.arange(1, len(top) + 1)
    weights = 2.0 / (sizes + np.arange(others.shape[1])[:, None] + 1)
    values = np.cumsum(there[:, None] * (others @ weights), axis=0).diagonal()
    return sorted(top[: int(np.argmax([none, *values]))].tolist())


def plain_gfm(row: NDArray[np.float32]) -> list[int]:
    """The same by the general maximiser, from the matrix of P(label is there, s labels are there)."""
    top, there, others, none = _others(row)
    return sorted(top[gfm(there[:, None] * others, none).labels].tolist())


def _flat(decided: NDArray[np.bool_]) -> list[int]:
    """Decisions as numbers: the image and column of each."""
    return np.stack(np.nonzero(decided), axis=1).ravel().tolist()


def _loop(probabilities: NDArray[np.float32], truth: NDArray[np.bool_], at: float) -> list[float]:
    return [float(f1_score(truth, probabilities >= at, average="samples", zero_division=1.0))]  # pyright: ignore[reportArgumentType]


def _sweep(probabilities: NDArray[np.float32], truth: NDArray[np.bool_]) -> list[float]:
    found = best_threshold(probabilities, truth)
    return [found, float(sample_f1(probabilities >= np.float64(found), truth).mean())]


def _one_by_one(way: str, rows: NDArray[np.float32]) -> list[float]:
    decide = plain if way == "plain" else plain_gfm
    return [float(one) for image, row in enumerate(rows) for column in decide(row) for one in (image, column)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("way", choices=("expected-f1", "gfm", "sweep", "plain", "plain-gfm", "loop"))
    parser.add_argument("--images", type=int, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--at", type=float, default=0.5)
    asked = parser.parse_args()
    probabilities, truth = synthetic_predictions(asked.images)
    ways = {
        "expected-f1": lambda: _flat(ExpectedF1(_CANDIDATES, empty_scores=True).decide(probabilities)),
        "gfm": lambda: _flat(CountGfm(_CANDIDATES, True, np.ones(1)).decide(probabilities)),
        "sweep": lambda: _sweep(probabilities, truth),
        "loop": lambda: _loop(probabilities, truth, asked.at),
    }
    show_work(ways.get(asked.way, lambda: _one_by_one(asked.way, probabilities[: asked.first])))


if __name__ == "__main__":
    main()
