"""The search by faiss, where it is installed.

Invariant: faiss finds, our own products score: scores do not depend on the engine.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from radcap.core import Missing
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.ranking import nearest_of, values_of
from radcap.detection.retrieval.searching import Search

__all__ = ["faiss_search", "has_faiss"]

_PROBED = 16  # one list of so many is looked into
_LEAST_PROBED = 8
_LEAST_PER_LIST = 39  # vectors: with fewer faiss warns that its lists are not trained well


def has_faiss() -> bool:
    """Whether faiss is installed; nothing is imported."""
    return find_spec("faiss") is not None


def faiss_search(search: Search, *, approximate: bool) -> Neighbours:
    """The nearest k by a flat index, or by inverted lists of which some are looked into."""
    if not has_faiss():
        raise Missing("faiss", "The engine 'faiss' was asked for.", "Install it: pip install faiss-cpu.")
    if not len(search.vectors) or not len(search.queries):
        return Neighbours.none(len(search.queries), search.k)
    rows, places = search.hidden(0, len(search.queries)) if search.hidden else (np.zeros(0, int),) * 2
    hidden = np.bincount(rows, minlength=len(search.queries)).max(initial=0)
    index = _made(search, approximate=approximate)
    found = index.search(search.queries, int(min(len(search.vectors), search.k + hidden)))[1]
    secret = np.isin(
        np.arange(len(found))[:, None] * len(search.vectors) + found, rows * len(search.vectors) + places
    )
    return _scored(search, np.where(secret, -1, found))


def _made(search: Search, *, approximate: bool) -> Any:  # noqa: ANN401 - faiss has no types
    import faiss

    width, count = search.vectors.shape[1], len(search.vectors)
    flat: Any = faiss.IndexFlatIP(width) if search.metric == "cosine" else faiss.IndexFlatL2(width)
    lists = min(int(4 * np.sqrt(count)), count // _LEAST_PER_LIST)
    if not approximate or lists <= 1:
        flat.add(search.vectors)
        return flat
    kind = faiss.METRIC_INNER_PRODUCT if search.metric == "cosine" else faiss.METRIC_L2
    index: Any = faiss.IndexIVFFlat(flat, width, lists, kind)
    index.train(search.vectors)
    index.add(search.vectors)
    index.nprobe = max(_LEAST_PROBED, lists // _PROBED)
    return index


def _scored(search: Search, places: Any) -> Neighbours:  # noqa: ANN401
    where = search.vectors, search.queries, search.metric
    known = np.where(places >= 0, values_of(places, *where), -np.inf).astype(np.float32)
    nothing = np.zeros(0, np.int64)
    return search.finished(nearest_of(Neighbours(places, known), (nothing, nothing), where, search.k))
