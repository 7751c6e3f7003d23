"""Ways to find nearest neighbours by embedding: radcap, faiss, scikit-learn, plain products.

Invariant: what is called exact is compared with products of all pairs in float64, and fails otherwise; the
times of a way hold all that is done after the embeddings are in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from stopwatch import Failed

from radcap.detection.retrieval import NeighbourIndex, Neighbours
from radcap.detection.retrieval.coarse import PlainProducts
from radcap.detection.retrieval.searching import Search

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["SAMPLED", "K", "Way", "check_exact", "find_all_ways", "recall", "time_exact"]

K = 10
SAMPLED = 1_000  # queries of scikit-learn; a quarter of them are checked


@dataclass(frozen=True, slots=True)
class Way:
    """One way to find neighbours, what it took, and what it found."""

    name: str
    took_s: tuple[float, ...]
    recall: float
    scale: float = 1.0  # where it ran for some of the queries

    @property
    def seconds(self) -> float:
        return median(self.took_s) * self.scale


def find_all_ways(vectors: NDArray[Any], queries: NDArray[Any], times: int) -> list[Way]:
    """Every way, radcap's exact one first; raises Failed where two exact ones differ."""
    index = _index(vectors)
    index.search(queries[:8], K)  # what is loaded once
    exact, took = _timed(lambda: _index(vectors).search(queries, K), times)
    check_exact(index, queries, exact)
    ways = [Way("radcap, exact", took, 1.0)]
    plain, took = _timed(lambda: _plain(vectors, queries), times)
    if (plain.places != exact.places).any():
        raise Failed("Products of integers and of floats find different neighbours.")
    ways.append(Way("float32 products (radcap without torch), exact", took, 1.0))
    near, took = _timed(lambda: _index(vectors).search(queries, K, approximate=True), times)
    ways.append(Way("radcap, approximate", took, recall(near, exact)))
    return [*ways, *_faiss(vectors, queries, exact, times), _scikit_learn(vectors, queries, exact, times)]


def time_exact(vectors: NDArray[Any], queries: NDArray[Any], k: int, times: int) -> float:
    """Seconds of the exact search for so many neighbours."""
    return median(_timed(lambda: _index(vectors).search(queries, k), times)[1])


def check_exact(index: NeighbourIndex, queries: NDArray[Any], found: Neighbours) -> None:
    """Compare some queries with all vectors, in float64."""
    some = index.projected(queries[: SAMPLED // 4]).astype(np.float64)
    values = some @ index.vectors.T.astype(np.float64)
    best = -np.sort(-values, axis=1)[:, :K]
    if not np.abs(best - found.scores[: len(some)]).max() <= 1e-5:  # so written, NaN fails too
        raise Failed("The exact search is not exact.")


def recall(found: Neighbours, exact: Neighbours) -> float:
    """The share of the true neighbours that were found."""
    pairs = zip(found.places.tolist(), exact.places.tolist(), strict=True)
    return sum(len({*one} & {*other}) for one, other in pairs) / exact.places.size


def _faiss(vectors: NDArray[Any], queries: NDArray[Any], exact: Neighbours, times: int) -> list[Way]:
    if find_spec("faiss") is None:
        return []
    ways: list[Way] = []
    for name, near in (("IndexFlatIP, exact", False), ("IndexIVFFlat, approximate", True)):
        search = partial(_by_faiss, vectors, queries, approximate=near)
        found, took = _timed(search, times)
        ways.append(Way(f"faiss {name}", took, recall(found, exact)))
    return ways


def _by_faiss(vectors: NDArray[Any], queries: NDArray[Any], *, approximate: bool) -> Neighbours:
    return _index(vectors).search(queries, K, engine="faiss", approximate=approximate)


def _scikit_learn(vectors: NDArray[Any], queries: NDArray[Any], exact: Neighbours, times: int) -> Way:
    some = queries[:SAMPLED]
    found, took = _timed(lambda: _brute(vectors, some), times)
    first = Neighbours(exact.places[: len(some)], exact.scores[: len(some)])
    return Way("scikit-learn, brute force", took, recall(found, first), len(queries) / len(some))


def _index(vectors: NDArray[Any]) -> NeighbourIndex:
    return NeighbourIndex.of(vectors, [""] * len(vectors), ["A"], np.ones((len(vectors), 1), bool))


def _plain(vectors: NDArray[Any], queries: NDArray[Any]) -> Neighbours:
    index = _index(vectors)
    asked = index.projected(queries)
    return Search(index.vectors, asked, K, "cosine").exact(PlainProducts(index.vectors, asked, "cosine"))


def _brute(vectors: NDArray[Any], queries: NDArray[Any]) -> Neighbours:
    from sklearn.neighbors import NearestNeighbors

    nearest = NearestNeighbors(n_neighbors=K, metric="cosine", algorithm="brute", n_jobs=-1).fit(vectors)
    far, places = nearest.kneighbors(queries)
    return Neighbours(places, (1 - far).astype(np.float32))


def _timed(work: Callable[[], Neighbours], times: int) -> tuple[Neighbours, tuple[float, ...]]:
    found, took = Neighbours.none(0, 1), [0.0] * times
    for turn in range(times):
        start = perf_counter()
        found = work()
        took[turn] = perf_counter() - start
    return found, tuple(took)
