"""Nearest neighbours by embedding: radcap exact and approximate, against faiss and scikit-learn.

Invariant: what is called exact is compared with a plain product of all pairs in the same run, and fails
otherwise; the times of an index hold all that is done after the embeddings are in memory.

    python benchmarks/bench_retrieval.py [--quick]
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from settings import FULL, print_report, say
from tables import Goal, goal_table, often, ratio, seconds, table

if TYPE_CHECKING:
    from retrieval_ways import Way
    from settings import Settings

__all__ = ["report"]

TRAIN, TEST = 80_091, 19_267  # images of the 2025 edition
MORE = 100
LIMIT_S = 10

TEXT = """## Neighbours

The {k} nearest of {train:,} embeddings of {dimensions:,} dimensions for {test:,} queries, by cosine, on all
cores, with {versions}. The embeddings are made up in the shape of real ones
(`benchmarks/synthetic_embeddings.py`). Seconds are wall time from embeddings in memory to neighbours; each
way ran {often}, the median counts, in brackets the slowest; building or training an index is part of it.
Recall is the share of the {k} true neighbours that are found.
"""
EXACT = """
**radcap exact** is exact: products of 8-bit integers (torch, where the processor has them) leave out only
what is proven to be farther than {k} others; the rest is compared in float32. The answer equals that of
**float32 products**, which is what radcap does without torch, place by place. scikit-learn ran for
{sampled:,} queries; its time is scaled to all of them.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where the exact search is not exact."""
    # loaded here: the process that measures the memory of others stays small until it is done with them
    from retrieval_ways import SAMPLED, K, find_all_ways, time_exact
    from synthetic_embeddings import DIMENSIONS, embeddings

    full = settings == FULL
    vectors, queries = embeddings((TRAIN, TEST) if full else (4 * settings.images, settings.images))
    times = min(settings.times, 2)  # the slowest way takes a minute each time
    say(f"retrieval_ways, {often(times)}")
    ways = find_all_ways(vectors, queries, times)
    more = time_exact(vectors, queries, MORE, times)
    text = TEXT.format(
        k=K,
        train=len(vectors),
        test=len(queries),
        dimensions=DIMENSIONS,
        often=often(times),
        versions=_versions(),
    )
    header = (
        f"{len(vectors):,} x {DIMENSIONS:,}",
        "Seconds",
        "Queries/s",
        f"Recall@{K}",
        "radcap exact is faster by",
    )
    goals = [
        Goal(f"exact, {K} neighbours of {len(queries):,} queries", ways[0].seconds, LIMIT_S, "s"),
        Goal(f"exact, {MORE} neighbours", more, LIMIT_S, "s"),
    ]
    parts = [
        text,
        table(header, [_row(way, ways[0], len(queries)) for way in ways]),
        EXACT.format(k=K, sampled=min(SAMPLED, len(queries))),
        goal_table(goals, judged=full),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


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


def _versions() -> str:
    """What does the work besides NumPy, where it is there."""
    return ", ".join(_version(name) for name in ("torch", "faiss-cpu"))


def _version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"


if __name__ == "__main__":
    print_report(report, __doc__)
