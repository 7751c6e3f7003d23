"""One system on several test sets: how much of a change in score is the data.

Nothing is trained or decided anew: the same run is looked at in parts. In 2025 the organisers' own baseline
lost about 0.1 against 2024, with nothing changed but the test images.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.examples import groups_of
from radcap.stats import Procedure, percentile_interval, resampled_means
from radcap.systems.board.board import modality_of_each

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from radcap.datasets import Dataset
    from radcap.systems.board.board import Board

__all__ = ["BASELINE", "TestSet", "shifts"]

BASELINE = "rocov2/baseline-b0-concepts"
_TEST = "test"
_FEWEST = 10  # images of a set
_FEW, _MANY = 2, 5  # concepts of an image
# The share of each modality among all images of ROCOv2, by the table of its paper; PET and combined left out.
_ROCOV2 = {"CT": 27_747, "X-ray": 21_997, "MRI": 12_657, "US": 11_429, "angio": 4_799}


@dataclass(frozen=True, slots=True)
class TestSet:
    """Some of the test images, and the baseline's F1 on them."""

    __test__ = False  # no class of tests

    name: str
    images: int
    f1: float
    low: float
    high: float


def shifts(board: Board, dataset: Dataset, name: str = BASELINE) -> tuple[TestSet, ...]:
    """The whole test split, then parts of it and mixtures of modalities; nothing where it was not trained."""
    if name not in board.values:
        return ()
    test = dataset.split(_TEST)
    place = {one: row for row, one in enumerate(test.ids)}
    rows = test.take([place[one] for one in board.ids])
    values, groups = np.array(board.values[name]), groups_of(rows, rows.ids)
    sets = [_scored("the whole test split", values, groups, np.ones(len(values)))]
    sets += [_scored(what, values, groups, weights) for what, weights in _parts(rows, groups)]
    return tuple(sets)


def _scored(
    name: str, values: NDArray[np.float64], groups: list[str], weights: NDArray[np.float64]
) -> TestSet:
    """The weighted mean, with an interval over groups: a ratio of two resampled sums."""
    procedure = Procedure()
    columns = np.stack([values * weights, weights], axis=1)
    drawn = resampled_means(columns, resamples=procedure.resamples, seed=procedure.seed, groups=groups)
    drawn = drawn[drawn[:, 1] > 0]  # a set of few groups has resamples without any of them
    between = percentile_interval(drawn[:, 0] / drawn[:, 1], procedure.level)
    mean = float((values * weights).sum() / weights.sum())
    return TestSet(name, int((weights > 0).sum()), mean, between.low, between.high)


def _parts(rows: Dataset, groups: list[str]) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Sets that are large enough to say something."""
    sources = np.array([one or "unknown" for one in rows.column("source").to_pylist()])
    known = modality_of_each(rows)
    modalities = np.array([known[one] for one in rows.ids])
    counts = np.array([len(cuis) for cuis in rows.column("cui").to_pylist()])
    half = _half(groups)
    sets = {"one half of the groups, by lot": half, "the other half": ~half}
    sets |= {f"from {one}": sources == one for one in np.unique(sources).tolist()}
    sets |= {f"{one} alone": modalities == one for one in np.unique(modalities).tolist() if one}
    sets |= {f"{_FEW} concepts or fewer": counts <= _FEW, f"{_MANY} concepts or more": counts >= _MANY}
    for name, chosen in sets.items():
        if _FEWEST <= chosen.sum() < len(chosen):
            yield name, chosen.astype(np.float64)
    if set(_ROCOV2) <= set(modalities.tolist()):
        yield "as ROCOv2 mixes modalities", _mixed(modalities, _ROCOV2)


def _half(groups: list[str]) -> NDArray[np.bool_]:
    names = np.unique(groups)
    chosen = np.random.default_rng(Procedure().seed).permutation(names)[: len(names) // 2]
    return np.isin(groups, chosen)


def _mixed(modalities: NDArray[np.str_], shares: Mapping[str, int]) -> NDArray[np.float64]:
    """Weights under which the modalities have the shares of another set."""
    weights = np.zeros(len(modalities))
    for name, share in shares.items():
        here = modalities == name
        weights[here] = share / here.sum()
    return weights
