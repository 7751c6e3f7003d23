"""Classic learners by name, known before any of their packages is loaded."""

from __future__ import annotations

from radcap.core.registry import Registry

__all__ = ["LEARNERS"]

_HERE = "radcap.detection.learners"

LEARNERS = Registry(
    "learner",
    {
        "logistic": f"{_HERE}.logistic:fit_logistic",
        "svm": f"{_HERE}.support_vectors:fit_support_vectors",
        "perceptron": f"{_HERE}.perceptron:fit_perceptron",
        "trees": f"{_HERE}.trees:fit_trees",
        "forest": f"{_HERE}.trees:fit_forest",
        "boosted": f"{_HERE}.boosted:fit_boosted",
    },
)
