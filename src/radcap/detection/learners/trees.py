"""Decision trees, one for each label (NLM 2017), and random forests, one for all.

Invariant: scikit-learn grows them, and is needed no more afterwards; a forest's leaves are divided by its
number of trees, so that their sum is its probability.
"""

# scikit-learn has no types
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false
from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import Missing
from radcap.detection.learners.learner import prior_logits
from radcap.detection.learners.planting import Tree, at_most, plant
from radcap.detection.learners.tree_learner import TreeLearner

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from radcap.detection.learners.config import Learner
    from radcap.detection.learners.learner import Floats, Truth

__all__ = ["fit_forest", "fit_trees"]

_LOOKED_AT = 256  # features a node of a single tree: of more, so many by lot, since each is sorted by


def fit_trees(settings: Learner, vectors: Floats, truth: Truth) -> TreeLearner:
    """Binary relevance: a tree says of its label yes or no."""
    grower, labels = _sklearn("tree", settings.kind), truth.shape[1]

    def grown(label: int) -> Tree:
        tree = grower.DecisionTreeClassifier(
            max_depth=settings.depth,
            min_samples_leaf=settings.leaf,
            max_features=min(vectors.shape[1], _LOOKED_AT),
            random_state=settings.seed,
        )
        tree.fit(vectors, truth[:, label])
        return _tree(tree, [tree.classes_])

    with ThreadPoolExecutor(os.cpu_count()) as threads:  # scikit-learn lets go of the interpreter as it grows
        trees = list(threads.map(grown, range(labels)))
    return TreeLearner(settings.kind, plant(trees, labels), vectors.shape[1], prior_logits(truth))


def fit_forest(settings: Learner, vectors: Floats, truth: Truth) -> TreeLearner:
    """Trees over drawn images and features, each for all labels."""
    grower, labels = _sklearn("ensemble", settings.kind), truth.shape[1]
    forest = grower.RandomForestClassifier(
        settings.trees,
        max_depth=settings.depth,
        min_samples_leaf=settings.leaf,
        random_state=settings.seed,
        n_jobs=os.cpu_count(),
    )
    forest.fit(vectors, truth if labels > 1 else truth[:, 0])
    classes = forest.classes_ if labels > 1 else [forest.classes_]
    trees = [_tree(tree, classes, settings.trees) for tree in forest.estimators_]
    return TreeLearner(settings.kind, plant(trees, labels), vectors.shape[1], prior_logits(truth))


def _tree(fitted: Any, classes: list[NDArray[Any]], shared: int = 1) -> Tree:  # noqa: ANN401 - without types
    """A tree of which each label has seen some classes; its values are divided by those who share in them."""
    tree = fitted.tree_
    likely = [_likely(tree.value[:, label], seen) / shared for label, seen in enumerate(classes)]
    return Tree(
        tree.children_left.astype(np.int64),
        tree.children_right.astype(np.int64),
        tree.feature.astype(np.int64),
        at_most(tree.threshold),
        np.stack(likely, axis=1).astype(np.float32),
    )


def _likely(shares: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[np.float64]:
    """How likely the label is at each node; scikit-learn numbers the answers it has seen."""
    return shares[:, : len(classes)] @ np.asarray(classes, np.float64)


def _sklearn(part: str, kind: str) -> ModuleType:
    try:
        if part == "tree":
            from sklearn import tree as module
        else:
            from sklearn import ensemble as module
    except ImportError as error:
        raise Missing(
            "scikit-learn",
            f"The learner {kind!r} is grown by it.",
            "Install it: pip install 'radcap[train]'.",
        ) from error
    return module
