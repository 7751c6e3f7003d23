"""Comparing runs as one does it without radcap: a pair of runs after the other, a run after the other.

Invariant: nothing of radcap is imported here. `permutation` and `bootstrap` are SciPy's, `numpy` is the same
test as a careful reader of a textbook writes it; each does one pair (or run), `exact` does every pair.

    python benchmarks/official_compare.py WAY --images 19267 --runs 11 --draws 10000
"""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from synthetic_scores import METRICS, ONE_METRIC, ONE_PAIR, synthetic_scores
from work import show_work

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_AT_ONCE = 200  # draws made together: SciPy is quickest so, and needs 60 MB instead of 3 GB


def permutation(values: Floats, draws: int) -> list[float]:
    return [_scipy_p(*_one_pair(values), draws)]


def exact(values: Floats, draws: int) -> list[float]:
    pairs = combinations(range(values.shape[2]), 2)
    runs = [(values[:, metric, a], values[:, metric, b]) for a, b in pairs for metric in range(METRICS)]
    return [_scipy_p(one, other, draws) for one, other in runs]


def _one_pair(values: Floats) -> tuple[Floats, Floats]:
    one, other = ONE_PAIR
    return values[:, ONE_METRIC, one], values[:, ONE_METRIC, other]


def _scipy_p(one: Floats, other: Floats, draws: int) -> float:
    found = stats.permutation_test(
        (one, other),
        lambda x, y, axis: np.mean(x - y, axis=axis),  # two means would round ties away
        permutation_type="samples",
        vectorized=True,
        n_resamples=draws,
        batch=_AT_ONCE,
        rng=np.random.default_rng(1),
    )
    return float(found.pvalue)


def by_numpy(values: Floats, draws: int) -> list[float]:
    """Signs for every draw, and the mean of the differences under them."""
    random, difference, far = np.random.default_rng(1), np.subtract(*_one_pair(values)), 0
    for _ in range(draws // _AT_ONCE):
        signs = 2.0 * random.integers(0, 2, size=(_AT_ONCE, len(difference)), dtype=np.int8) - 1
        far += np.count_nonzero(np.abs(signs @ difference) >= abs(difference.sum()))
    return [(far + 1) / (draws + 1)]


def bootstrap(values: Floats, draws: int) -> list[float]:
    found = stats.bootstrap(
        (_one_pair(values)[0],),
        np.mean,
        n_resamples=draws,
        batch=_AT_ONCE,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    return [float(found.low), float(found.high)]


WAYS = {"permutation": permutation, "exact": exact, "numpy": by_numpy, "bootstrap": bootstrap}


def read_scores(doc: str | None, ways: Iterable[str]) -> tuple[str, Floats, int]:
    """What the command line asks for: a way, scores, and how often to draw."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=list(ways))
    for size in ("--images", "--runs", "--draws"):
        parser.add_argument(size, type=int, required=True)
    asked = parser.parse_args()
    return asked.way, synthetic_scores(asked.images, asked.runs), asked.draws


def main() -> None:
    way, values, draws = read_scores(__doc__, WAYS)
    show_work(lambda: WAYS[way](values, draws))


if __name__ == "__main__":
    main()
