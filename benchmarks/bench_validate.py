"""Checking a run file: `radcap validate` against the quadratic check of the official evaluators.

Invariant: both ways must come to the same verdict, and radcap must name a problem for every broken line.

    python benchmarks/bench_validate.py [--quick]
"""

from __future__ import annotations

import json
import sys
import tempfile
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from settings import FULL, print_report, say
from stopwatch import Failed, measure, own_peak_mib, warm_up
from synthetic import Dataset
from tables import Goal, goal_table, often, ratio, seconds, table

if TYPE_CHECKING:
    from settings import Settings
    from stopwatch import Measured

__all__ = ["report"]

HERE = Path(__file__).parent
LARGE_TIMES = 3  # repeats where one takes many seconds

TEXT = """## Validation

The whole command `radcap validate` on a concept run, its ids checked against the truth folder, and the
load-and-check part of `benchmarks/official_concepts.py` on the same files. radcap ran {often} for each size
({large_often} for {large:,} rows), the median counts; the official check ran once.
"""
EXTRAPOLATED = """
Figures in italics are not measured but extrapolated: the official check took {half_s} s of CPU time for
{half:,} and {full_s} s for {full:,} rows, so it grows with the power {power:.2f} of the rows; that growth is
continued to {large:,}.
"""
GROWTH = """### Time and memory

Each file is read once, so time and memory grow in step with the rows. The peak is that of the whole process,
Python included; the last column is what a row adds to it, from one size to the next.
"""
BROKEN = """### An error in every line

The same runs with a slip in every line (lower case, a stray `;`, repeats, blanks, file endings, wrong
separators, a third cell, words) and all rows shuffled. The official check stops at the first.
"""


class _Bench:
    """The files of one run of this benchmark, made when first asked for."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder = folder
        self._times = settings.times
        self._large = settings.large

    def data(self, rows: int) -> Dataset:
        made = Dataset(self._folder / str(rows))
        if not made.folder.exists():
            say(f"writing {rows:,} rows")
            measure([sys.executable, HERE / "synthetic.py", made.folder, "--images", str(rows)])
        return made

    def ours(self, rows: int, *, broken: bool = False) -> Measured:
        """Our check; refuses to go on where its verdict is wrong."""
        data = self.data(rows)
        times = self._times if rows < self._large else min(self._times, LARGE_TIMES)
        say(f"radcap, {rows:,} {'broken ' * broken}rows, {often(times)}")
        run = data.broken if broken else data.run
        command = [sys.executable, "-m", "radcap", "validate", run, "--task", "concepts", "--json"]
        done = measure([*command, "--truth", data.truth], times=times, exit_code=int(broken))
        found = json.loads(done.output)
        if found["rows"] != rows or (broken and sum(found["counts"].values()) < rows):
            raise Failed(f"{run}: radcap read {found['rows']} of {rows} rows and found {found['counts']}.")
        return done

    def theirs(self, rows: int, *, broken: bool = False) -> Measured:
        data = self.data(rows)
        say(f"official check, {rows:,} {'broken ' * broken}rows")
        run = data.broken if broken else data.run
        command = [sys.executable, HERE / "official_concepts.py", run, data.truth, "--check"]
        return measure(command, exit_code=int(broken))


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where a verdict is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        warm_up()
        bench = _Bench(Path(folder), settings)
        clean = {rows: bench.ours(rows) for rows in sorted({settings.images, *settings.rows})}
        parts = [
            TEXT.format(
                often=often(settings.times),
                large_often=often(min(settings.times, LARGE_TIMES)),
                large=settings.large,
            ),
            *_against_official(bench, clean, settings),
            GROWTH,
            *_growth({rows: clean[rows] for rows in settings.rows}),
            BROKEN,
            _broken_table(bench, settings),
        ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _against_official(bench: _Bench, clean: dict[int, Measured], settings: Settings) -> list[str]:
    full, half, large = settings.images, settings.images // 2, settings.large
    at_half, at_full = bench.theirs(half), bench.theirs(full)
    power = log(at_full.cpu_s / at_half.cpu_s) / log(full / half)
    growth = (large / full) ** power
    rows = [
        _pair(full, at_full.wall_s, clean[full]),
        _pair(large, at_full.wall_s * growth, clean[large], mark="*"),
    ]
    goals = [
        Goal(f"{full:,} rows", clean[full].wall_s, 0.5, "s"),
        Goal(f"{large:,} rows", clean[large].wall_s, 15, "s"),
    ]
    note = EXTRAPOLATED.format(
        large=large,
        half=half,
        full=full,
        half_s=seconds(at_half.cpu_s),
        full_s=seconds(at_full.cpu_s),
        power=power,
    )
    header = ("Rows", "Official check, wall s", "radcap, wall s", "radcap, CPU s", "Ratio")
    return [table(header, rows), note, goal_table(goals, judged=settings == FULL)]


def _pair(rows: int, their_s: float, ours: Measured, mark: str = "") -> tuple[str, ...]:
    """One size; what was not measured is set between marks."""
    faster = f"{mark}{ratio(their_s / ours.wall_s)}{mark}"
    return f"{rows:,}", f"{mark}{seconds(their_s)}{mark}", seconds(ours.wall_s), seconds(ours.cpu_s), faster


def _growth(clean: dict[int, Measured]) -> list[str]:
    rows: list[tuple[str, ...]] = []
    before: tuple[int, float] | None = None
    for n, done in clean.items():
        if done.peak_mib <= own_peak_mib():
            raise Failed(f"A peak of {done.peak_mib:.1f} MiB may be that of the measuring script.")
        more = "" if before is None else f"{(done.peak_mib - before[1]) * 2**20 / (n - before[0]):,.0f}"
        per_row = f"{done.wall_s / n * 1e6:.1f}"
        rows.append(
            (f"{n:,}", seconds(done.wall_s), seconds(done.cpu_s), per_row, f"{done.peak_mib:,.0f}", more)
        )
        before = n, done.peak_mib
    (few, least), *_, (many, most) = clean.items()
    summary = (
        f"{many / few:g} times the rows take {most.cpu_s / least.cpu_s:.0f} times the CPU time and "
        f"{most.peak_mib / least.peak_mib:.0f} times the memory."
    )
    return [table(("Rows", "Wall, s", "CPU, s", "µs a row", "Peak, MiB", "Bytes a row"), rows), summary]


def _broken_table(bench: _Bench, settings: Settings) -> str:
    theirs = bench.theirs(settings.images, broken=True)
    first = f"official check, {settings.images:,} rows"
    rows = [(first, "1", seconds(theirs.wall_s), seconds(theirs.cpu_s), "")]
    for n in (settings.images, settings.large):
        done = bench.ours(n, broken=True)
        found = sum(json.loads(done.output)["counts"].values())
        cost = seconds(done.wall_s), seconds(done.cpu_s), f"{done.peak_mib:,.0f}"
        rows.append((f"radcap, {n:,} rows", f"{found:,}", *cost))
    return table(("", "Problems found", "Wall, s", "CPU, s", "Peak, MiB"), rows)


if __name__ == "__main__":
    print_report(report, __doc__)
