"""Nearest neighbours by embedding: radcap exact and approximate, against faiss and scikit-learn.

Invariant: what is called exact is compared with a plain product of all pairs in the same run, and fails
otherwise; the times of an index hold all that is done after the embeddings are in memory.

    python benchmarks/bench_retrieval.py [--quick]
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from settings import FULL, print_report
from stopwatch import Failed
from synthetic_embeddings import DIMENSIONS, embeddings
from tables import Goal, goal_table, often, ratio, seconds, table

from radcap.detection.retrieval import NeighbourIndex, Neighbours
from radcap.detection.retrieval.coarse import PlainProducts
from radcap.detection.retrieval.searching import Search

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from settings import Settings

__all__ = ["report"]

TRAIN, TEST = 80_091, 19_267  # images of the 2025 edition
K, MORE = 10, 100
SAMPLED = 1_000  # queries of scikit-learn, and of the check
LIMIT_S = 10

TEXT = """## Neighbours

The {k} nearest of {train:,} embeddings of {dimensions:,} dimensions for {test:,} queries, by cosine, on all
cores. The embeddings are made up in the shape of real ones (`benchmarks/synthetic_embeddings.py`). Seconds
are wall time from embeddings in memory to neighbours, {often}, the mean, in brackets the slower; building
or training an index is part of it. Recall is the share of the {k} true neighbours that are found.
"""
EXACT = """
**radcap exact** is exact: products of 8-bit integers (torch, where the processor has them) leave out only
what is proven to be farther than {k} others; the rest is compared in float32. The answer equals that of
**float32 products**, which is what radcap does without torch, place by place. scikit-learn ran for
{sampled:,} queries; its time is scaled to all of them.
"""


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


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where the exact search is not exact."""
    full = settings == FULL
    vectors, queries = embeddings((TRAIN, TEST) if full else (4 * settings.images, settings.images))
    times = min(settings.times, 2)  # the slowest way takes a minute each time
    index = _index(vectors)
    index.search(queries[:8], K)  # what is loaded once
    exact, ours = _timed(lambda: _index(vectors).search(queries, K), times)
    _check(index, queries, exact)
    ways = [
        Way("radcap, exact", ours, 1.0),
        *_others(vectors, queries, exact, times),
    ]
    more = _timed(lambda: _index(vectors).search(queries, MORE), times)[1]
    header = (
        f"{len(vectors):,} x {DIMENSIONS:,}",
        "Seconds",
        "Queries/s",
        f"Recall@{K}",
        "radcap exact is faster by",
    )
    text = TEXT.format(k=K, train=len(vectors), test=len(queries), dimensions=DIMENSIONS, often=often(times))
    goals = [
        Goal(f"exact, {K} neighbours of {len(queries):,} queries", median(ours), LIMIT_S, "s"),
        Goal(f"exact, {MORE} neighbours", median(more), LIMIT_S, "s"),
    ]
    parts = [
        text,
        table(header, [_row(way, ways[0], len(queries)) for way in ways]),
        EXACT.format(k=K, sampled=min(SAMPLED, len(queries))),
        goal_table(goals, judged=full),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _others(vectors: NDArray[Any], queries: NDArray[Any], exact: Neighbours, times: int) -> list[Way]:
    ways: list[Way] = []
    plain, took = _timed(lambda: _plain(vectors, queries), times)
    if (plain.places != exact.places).any():
        raise Failed("Products of integers and of floats find different neighbours.")
    ways.append(Way("float32 products (radcap without torch), exact", took, 1.0))
    near, took = _timed(lambda: _index(vectors).search(queries, K, approximate=True), times)
    ways.append(Way("radcap, approximate", took, _recall(near, exact)))
    if find_spec("faiss") is not None:
        flat, took = _timed(lambda: _index(vectors).search(queries, K, engine="faiss"), times)
        ways.append(Way("faiss IndexFlatIP, exact", took, _recall(flat, exact)))
        lists, took = _timed(
            lambda: _index(vectors).search(queries, K, engine="faiss", approximate=True), times
        )
        ways.append(Way("faiss IndexIVFFlat, approximate", took, _recall(lists, exact)))
    some = queries[:SAMPLED]
    found, took = _timed(lambda: _brute(vectors, some), times)
    first = Neighbours(exact.places[: len(some)], exact.scores[: len(some)])
    ways.append(Way("scikit-learn, brute force", took, _recall(found, first), len(queries) / len(some)))
    return ways


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


def _check(index: NeighbourIndex, queries: NDArray[Any], found: Neighbours) -> None:
    """Compare some queries with all vectors, in float64."""
    some = index.projected(queries[: SAMPLED // 4]).astype(np.float64)
    values = some @ index.vectors.T.astype(np.float64)
    best = -np.sort(-values, axis=1)[:, :K]
    if np.abs(best - found.scores[: len(some)]).max() > 1e-5:
        raise Failed("The exact search is not exact.")


def _timed(work: Callable[[], Neighbours], times: int) -> tuple[Neighbours, tuple[float, ...]]:
    found, took = Neighbours.none(0, 1), [0.0] * times
    for turn in range(times):
        start = perf_counter()
        found = work()
        took[turn] = perf_counter() - start
    return found, tuple(took)


def _recall(found: Neighbours, exact: Neighbours) -> float:
    pairs = zip(found.places.tolist(), exact.places.tolist(), strict=True)
    return sum(len({*one} & {*other}) for one, other in pairs) / exact.places.size


def _row(way: Way, ours: Way, queries: int) -> tuple[str, ...]:
    slowest = f" ({seconds(max(way.took_s) * way.scale)})" if len(way.took_s) > 1 else ""
    faster = "" if way is ours else ratio(way.seconds / ours.seconds)
    return (
        way.name,
        seconds(way.seconds) + slowest,
        f"{queries / way.seconds:,.0f}",
        f"{way.recall:.4f}",
        faster,
    )


if __name__ == "__main__":
    print_report(report, __doc__)
