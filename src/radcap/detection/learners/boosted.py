"""Boosted trees by XGBoost (Chen and Guestrin 2016), as SSN_MLRG 2023 had them over the features of networks.

A round adds one tree for each label. Each round looks at features drawn by lot, since the time is that of
counting features; XGBoost's own draw counts them all and hides some. It goes on from the margins so far.
Labels do not know of each other, so each core has some of them: cores that share a tree mostly wait.
Invariant: XGBoost grows the trees, and is needed no more afterwards; margins begin with the prior of labels.
"""

# XGBoost is typed in part
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false
from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import Missing
from radcap.detection.learners.learner import prior_logits
from radcap.detection.learners.planting import Tree, below, plant
from radcap.detection.learners.tree_learner import BOOSTED, TreeLearner

if TYPE_CHECKING:
    from types import ModuleType

    from radcap.detection.learners.config import Learner
    from radcap.detection.learners.grove import Numbers
    from radcap.detection.learners.learner import Floats, Truth

__all__ = ["fit_boosted"]

_LOOKED_AT = 128  # features a round
_BINS = 32


def fit_boosted(settings: Learner, vectors: Floats, truth: Truth) -> TreeLearner:
    """Trees of all labels, round by round."""
    xgboost, priors, labels = _xgboost(), prior_logits(truth), truth.shape[1]
    cores = min(labels, os.cpu_count() or 1)
    bounds = [labels * core // cores for core in range(cores + 1)]

    def grown(start: int, end: int) -> list[Tree]:
        return _grown(xgboost, settings, vectors, truth[:, start:end], priors[start:end])

    with ThreadPoolExecutor(cores) as threads:  # XGBoost lets go of the interpreter as it grows
        trees = [tree for some in threads.map(grown, bounds, bounds[1:]) for tree in some]
    return TreeLearner(BOOSTED, plant(trees, labels), vectors.shape[1], priors)


def _grown(
    xgboost: ModuleType, settings: Learner, vectors: Floats, truth: Truth, priors: Floats
) -> list[Tree]:
    """The trees of some labels, those of the first label first."""
    chance, margins = np.random.default_rng(settings.seed), np.tile(priors, (len(vectors), 1))
    rounds: list[list[Tree]] = []
    for _ in range(settings.trees):
        looked: Numbers = np.sort(chance.permutation(vectors.shape[1])[:_LOOKED_AT])
        data = xgboost.QuantileDMatrix(
            vectors[:, looked], label=truth.astype(np.float32), base_margin=margins, max_bin=_BINS, nthread=1
        )
        booster = xgboost.train(_parameters(settings), data, num_boost_round=1)
        margins = booster.predict(data, output_margin=True).reshape(margins.shape)
        rounds.append(_trees(booster, looked))
    return [one[label] for label in range(truth.shape[1]) for one in rounds]


def _parameters(settings: Learner) -> dict[str, Any]:
    return {
        "objective": "binary:logistic",
        "tree_method": "hist",
        "max_bin": _BINS,
        "max_depth": settings.depth,
        "eta": settings.rate,
        "seed": settings.seed,
        "nthread": 1,
        "verbosity": 0,
    }


def _trees(booster: Any, looked: Numbers) -> list[Tree]:  # noqa: ANN401 - XGBoost is typed in part
    """The trees of one round, in the order of the labels."""
    told = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]["model"]
    held: list[dict[str, list[float]]] = told["trees"]
    trees: list[Tree | None] = [None] * len(held)
    for label, one in zip(told["tree_info"], held, strict=True):
        trees[label] = _tree(one, looked)
    return [tree for tree in trees if tree is not None]


def _tree(held: dict[str, list[float]], looked: Numbers) -> Tree:
    """Where a node is a leaf, its condition is what it says."""
    conditions = np.array(held["split_conditions"], np.float32)
    return Tree(
        np.array(held["left_children"], np.int64),
        np.array(held["right_children"], np.int64),
        looked[np.array(held["split_indices"], np.int64)],
        below(conditions),
        conditions[:, None],
    )


def _xgboost() -> ModuleType:
    try:
        import xgboost
    except ImportError as error:
        raise Missing(
            "XGBoost",
            "The learner 'boosted' is grown by it.",
            "Install it: pip install 'radcap[train]'; on macOS: pip install xgboost.",
        ) from error
    return xgboost
