"""Near-duplicate search: radcap's banded search against comparing every hash with every other.

Invariant: both ways must find the same pairs, or there is no table.

    python benchmarks/bench_duplicates.py [--quick]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from settings import FULL, print_report
from stopwatch import Failed
from tables import Goal, goal_table, often, ratio, seconds, table
from work import Work, same_values, time_work

if TYPE_CHECKING:
    from settings import Settings

__all__ = ["report"]

SEARCH = Path(__file__).parent / "near_hashes.py"
PLANTED = 50  # one picture in so many has a near copy
PER_ROW = 10  # the sizes are a tenth of those of run files

TEXT = """## Near-duplicate search

All pairs of 64-bit hashes that differ in at most three bits. The hashes are random, with planted near pairs,
a crowd of equal ones and crowds that share 16 bits. Pairwise is NumPy: exclusive or and a count of bits,
block by block. Both find the same pairs. radcap ran {often}, the median counts; pairwise ran once. The last
column is the whole search among little pictures, once: two kinds of hash, plain, mirrored and inverted
copies, each pair confirmed by its pixels, clusters.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where the two ways disagree."""
    sizes = [n // PER_ROW for n in settings.rows]
    ours = {n: _search("banded", n, settings.times) for n in sizes}
    theirs = {n: _search("pairwise", n, 1) for n in sizes}
    whole = {n: _search("whole", n, 1) for n in sizes}
    for n in sizes:
        same_values(f"near pairs of {n:,} hashes", ours[n].values, theirs[n].values)
        found, planted = len(whole[n].values) // 2, n // PLANTED
        if found < 0.99 * planted:
            raise Failed(f"{n:,} pictures: of {planted:,} near pairs only {found:,} were found.")
    rows = [_row(n, ours[n], theirs[n], whole[n]) for n in sizes]
    header = ("Hashes", "Near pairs", "Pairwise, s", "radcap, s", "Ratio", "µs a hash", "Whole search, s")
    few, many = sizes[0], sizes[-1]
    goal = Goal(
        f"{many:,} hashes, faster than pairwise",
        theirs[many].wall_s / ours[many].wall_s,
        50,
        "times",
        at_least=True,
    )
    grown = (
        f"{many / few:g} times the hashes take {ours[many].wall_s / ours[few].wall_s:,.0f} times as long,"
        f" pairwise {theirs[many].wall_s / theirs[few].wall_s:,.0f} times."
    )
    parts = (
        TEXT.format(often=often(settings.times)),
        table(header, rows),
        grown,
        goal_table([goal], judged=settings == FULL),
    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _search(way: str, images: int, times: int) -> Work:
    return time_work(SEARCH, way, "--images", str(images), times=times)


def _row(n: int, ours: Work, theirs: Work, whole: Work) -> tuple[str, ...]:
    pairs = f"{len(ours.values) // 2:,}"
    cost = f"{ours.wall_s:.4f}", ratio(theirs.wall_s / ours.wall_s), f"{ours.wall_s / n * 1e6:.2f}"
    return f"{n:,}", pairs, seconds(theirs.wall_s), *cost, seconds(whole.wall_s)


if __name__ == "__main__":
    print_report(report, __doc__)
