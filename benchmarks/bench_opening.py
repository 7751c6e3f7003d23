"""Open and index a release of 116,635 images: `radcap.load_dataset` against pandas on the same CSV files.

Invariant: where both ways join the files, they must count the same records, concepts and characters.

    python benchmarks/bench_opening.py [--quick]
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from opening_ways import AGAIN, JOINED, WAYS
from settings import QUICK, Settings, print_report, say
from stopwatch import Failed, measure
from tables import Goal, goal_table, often, ratio, table

__all__ = ["report"]

HERE = Path(__file__).parent
SIZES = (1_000, 10_000, 116_635)  # the last is 2025 with all its splits
SMALL = 10
TITLES = {
    "pandas-read": "pandas, `read_csv` of each file",
    "pandas-split": "pandas, and concept cells split",
    "pandas-join": "pandas, and joined to one table",
    "radcap": "`radcap.load_dataset`",
    "radcap-again": "`radcap.load_dataset`, opened before",
}
TEXT = """## Opening a dataset

Captions, concepts, manual concepts and licences of three splits, ten CSV files of ROCOv2's shape.
`load_dataset` joins them to one table of records, checks every id and line, and splits the concept cells.
The third way of pandas does the same work without the checks, the first only reads. The records of a large
release are kept in the cache, in the background, and a process that opens it again maps them into memory as
long as no label file has changed. Every way ran {often}, each time in a process of its own; times are those
inside it, imports paid before, and the median counts. Each counts all concepts and letters once. Memory is
what the process grew by at its peak.
"""


@dataclass(frozen=True, slots=True)
class _Cost:
    wall_s: float
    cpu_s: float
    peak_mib: float
    values: tuple[int, ...]


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where two ways disagree."""
    sizes = (100, 1_000) if settings == QUICK else SIZES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in (SMALL, *sizes):
            measure([sys.executable, HERE / "opening_ways.py", "make", folder / str(size), str(size)])
        costs = {size: {way: _cost(way, folder, size, settings.times) for way in WAYS} for size in sizes}
    for size, ways in costs.items():
        _check(size, ways)
    large = sizes[-1]
    parts = (
        TEXT.format(often=often(settings.times)),
        _ways_table(large, costs[large]),
        _growth_table({size: ways["radcap"] for size, ways in costs.items()}),
        goal_table(_goals(costs[large]), judged=sizes == SIZES),
    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _cost(way: str, folder: Path, size: int, times: int) -> _Cost:
    say(f"{way}, {size:,} records, {often(times)}")
    command = [sys.executable, HERE / "opening_ways.py", way, folder / str(size), folder / str(SMALL)]
    if way == AGAIN:
        measure(command)  # somebody opened it before
    runs = [json.loads(measure(command).output) for _ in range(times)]
    wall_s, cpu_s, peak_mib = (median(one[name] for one in runs) for name in ("wall_s", "cpu_s", "peak_mib"))
    return _Cost(wall_s, cpu_s, peak_mib, tuple(runs[0]["values"]))


def _check(size: int, ways: dict[str, _Cost]) -> None:
    theirs, ours, again = (ways[name].values for name in JOINED)
    if ours != theirs or again != theirs or any(one.values[0] != size for one in ways.values()):
        raise Failed(f"{size:,} records: radcap counts {ours}, later {again}, pandas {theirs}.")


def _ways_table(size: int, ways: dict[str, _Cost]) -> str:
    ours = ways["radcap"], ways[AGAIN]
    rows = [
        (
            TITLES[way],
            f"{one.wall_s:.3f}",
            f"{one.cpu_s:.3f}",
            f"{one.peak_mib:,.0f}",
            *("" if one in ours else ratio(one.wall_s / other.wall_s) for other in ours),
        )
        for way, one in ways.items()
    ]
    ratios = ("radcap is faster by", "opened before, by")
    return table((f"{size:,} records", "Wall, s", "CPU, s", "Memory, MiB", *ratios), rows)


def _growth_table(ours: dict[int, _Cost]) -> str:
    rows = [
        (f"{size:,}", f"{one.wall_s:.3f}", f"{one.wall_s / size * 1e6:.2f}", f"{one.peak_mib:,.0f}")
        for size, one in ours.items()
    ]
    return table(("Records, `radcap.load_dataset`", "Wall, s", "µs a record", "Memory, MiB"), rows)


def _goals(ways: dict[str, _Cost]) -> list[Goal]:
    ours, again = ways["radcap"], ways[AGAIN]
    join, read = ways["pandas-join"].wall_s, ways["pandas-read"].wall_s
    return [
        Goal("faster than pandas at the same work", join / ours.wall_s, 2, "times", at_least=True),
        Goal(
            "opened before, than pandas that only reads",
            read / again.wall_s,
            2,
            "times",
            at_least=True,
        ),
        Goal("open", ours.wall_s, 2, "s"),
    ]


if __name__ == "__main__":
    print_report(report, __doc__)
