"""The same comparisons by radcap: all pairs of runs under all metrics at once.

python benchmarks/radcap_compare.py WAY --images 19267 --runs 11 --draws 10000
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from official_compare import read_scores
from work import show_work

from radcap.stats import percentile_interval, resampled_means, sign_flip_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SEED = 2026
_LEVEL = 0.95


def permutation(values: Floats, draws: int) -> list[float]:
    """Every pair's p, the metrics of a pair together."""
    p = sign_flip_test(values, permutations=draws, seed=_SEED).p
    _, metrics, runs = values.shape
    return [float(p[metric, a, b]) for a, b in combinations(range(runs), 2) for metric in range(metrics)]


def bootstrap(values: Floats, draws: int) -> list[float]:
    """Both ends of every run's interval."""
    means = resampled_means(values.reshape(len(values), -1), resamples=draws, seed=_SEED)
    intervals = (percentile_interval(column, _LEVEL) for column in means.T)
    return [end for one in intervals for end in (one.low, one.high)]


WAYS = {"permutation": permutation, "bootstrap": bootstrap}


def main() -> None:
    way, values, draws = read_scores(__doc__, WAYS)
    show_work(lambda: WAYS[way](values, draws))


if __name__ == "__main__":
    main()
