"""What neighbours say, by name of the rule.

Invariant: a rule that decides gives bool, one that scores gives logits; both over the labels of the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from radcap.core import UsageError
from radcap.core.registry import Registry
from radcap.detection.retrieval.config import Retrieval
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.neighbours import Neighbours

__all__ = ["RETRIEVALS", "answer", "answer_of"]

_HERE = "radcap.detection.retrieval"

RETRIEVALS = Registry(
    "retrieval",
    {
        "mean-at-k": f"{_HERE}.mean_at_k:mean_at_k",
        "frequency": f"{_HERE}.frequency:frequency",
        "probabilistic": f"{_HERE}.probabilistic:probabilistic",
        "weighted": f"{_HERE}.weighted:weighted",
        "learned": f"{_HERE}.learned:learned",
        "duplicate-answer": f"{_HERE}.duplicate_answer:duplicate_answer",
    },
)


def answer_of(index: NeighbourIndex, neighbours: Neighbours, retrieval: Retrieval) -> NDArray[Any]:
    """(query, label) from neighbours that were found: decisions or logits, as the rule gives them."""
    return RETRIEVALS.factory(retrieval.rule)(index, neighbours.first(retrieval.k), retrieval)


def answer(
    retrieval: Retrieval,
    index: NeighbourIndex,
    queries: NDArray[Any],
    exclude_groups: Sequence[str] | None = None,
) -> NDArray[Any]:
    """Find the neighbours of each query and let them answer."""
    RETRIEVALS.factory(retrieval.rule)  # an unknown name is refused before the search
    if index.metric != retrieval.metric:
        raise UsageError(
            f"The index compares by {index.metric} and the retrieval asks for {retrieval.metric}. "
            "Build the index with the metric that is wanted."
        )
    found = index.search(
        queries, retrieval.k, exclude_groups, engine=retrieval.engine, approximate=retrieval.approximate
    )
    return answer_of(index, found, retrieval)
