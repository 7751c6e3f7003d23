"""Comparing runs: all pairs at once by radcap, against one pair after the other.

Invariant: where all sign patterns can be tried, every p must equal SciPy's; where they are drawn, the two
must agree as closely as chance allows. Otherwise there is no table.

    python benchmarks/bench_compare.py [--quick]
"""

from __future__ import annotations

import json
import sys
import tempfile
from math import comb, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from settings import FULL, print_report, say
from stopwatch import Failed, measure, warm_up
from synthetic_captions import Captions
from synthetic_scores import METRICS, ONE_METRIC, ONE_PAIR
from tables import Goal, goal_table, often, ratio, seconds, table
from work import same_values, time_work

if TYPE_CHECKING:
    from settings import Settings
    from work import Work

__all__ = ["report"]

HERE = Path(__file__).parent
RESAMPLES = 1_000
FEW_IMAGES = 10  # 1,024 sign patterns: SciPy and radcap try all of them
CHANCE = 5  # standard errors within which two random results must agree
COMPARED = ("rouge1", "bleu1", "cider")

TEXT = """## Comparing runs

Scores of {runs} runs under {metrics} metrics on {images:,} images (made up): a paired permutation test with
{draws:,} draws for each of the {tests} pairs, and a bootstrap interval with {resamples:,} resamples for each
of the {columns} means. Work is timed inside a process of its own, without imports. radcap did all of it
{often}, the median counts. The other ways did one pair or one mean, once: figures in italics are not measured
but extrapolated, {tests} or {columns} times that.
"""
NOTES = """
SciPy is `permutation_test` (`permutation_type="samples"`, vectorised) and `bootstrap` (percentile). NumPy is
the same test written by hand, with new signs for every pair. On {few} images, where all sign patterns are
tried, every p and SciPy's are {equal}; on {images:,} they are drawn: one p is {our_p:.4f} by radcap and
{their_p:.4f} by SciPy, which is as near as chance allows.
"""
COMMAND = """### The whole command

`radcap compare` of {runs} made-up caption runs of {images:,} images by {names}: reads and checks the runs,
scores them, and makes the intervals and tests above. It ran once.
"""


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where a p or an interval is wrong."""
    warm_up()
    tests, columns = comb(settings.runs, 2) * METRICS, settings.runs * METRICS
    equal = _exact(settings.runs)
    rows, goals, p = _tests(settings, tests)
    rows += _intervals(settings, columns)
    sizes = {
        "runs": settings.runs,
        "images": settings.images,
        "draws": settings.permutations,
        "tests": tests,
        "columns": columns,
        "metrics": METRICS,
        "resamples": RESAMPLES,
        "names": ", ".join(COMPARED),
    }
    parts = (
        TEXT.format(often=often(settings.times), **sizes),
        table((f"{settings.runs} runs, {METRICS} metrics", "Wall, s", "CPU, s", "Ratio of CPU"), rows),
        NOTES.format(few=FEW_IMAGES, equal=equal, our_p=p[0], their_p=p[1], **sizes),
        goal_table(goals, judged=settings == FULL),
        COMMAND.format(**sizes),
        _whole_command(settings, tests),
    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _time(side: str, way: str, sizes: tuple[int, int, int], times: int = 1) -> Work:
    images, runs, draws = map(str, sizes)
    options = ("--images", images, "--runs", runs, "--draws", draws)
    return time_work(HERE / f"{side}_compare.py", way, *options, times=times)


def _exact(runs: int) -> str:
    sizes = FEW_IMAGES, runs, 2**FEW_IMAGES
    ours, theirs = _time("radcap", "permutation", sizes), _time("official", "exact", sizes)
    return same_values("exact p", ours.values, theirs.values, 1e-12)


def _tests(settings: Settings, tests: int) -> tuple[list[tuple[str, ...]], list[Goal], tuple[float, float]]:
    sizes = settings.images, settings.runs, settings.permutations
    ours = _time("radcap", "permutation", sizes, settings.times)
    scipy, numpy = _time("official", "permutation", sizes), _time("official", "numpy", sizes)
    p = ours.values[(ONE_PAIR[1] - 1) * METRICS + ONE_METRIC]  # pairs with the first run come first
    for other in (scipy, numpy):
        # SciPy doubles the smaller tail, so its p varies a little more than a count of both.
        _agree("p of one pair", p, other.values[0], 2 * sqrt(p * (1 - p) / settings.permutations))
    rows = [
        _other("tests: SciPy", scipy, ours, tests),
        _other("tests: NumPy, pair by pair", numpy, ours, tests),
        ("tests: radcap", seconds(ours.wall_s), seconds(ours.cpu_s), ""),
    ]
    goal = Goal("tests: SciPy", scipy.cpu_s * tests / ours.cpu_s, 20, "times", at_least=True)
    return rows, [goal], (p, scipy.values[0])


def _intervals(settings: Settings, columns: int) -> list[tuple[str, ...]]:
    sizes = settings.images, settings.runs, RESAMPLES
    ours = _time("radcap", "bootstrap", sizes, settings.times)
    theirs = _time("official", "bootstrap", sizes)
    place = 2 * (ONE_METRIC * settings.runs + ONE_PAIR[0])
    low, high = ours.values[place : place + 2]
    error = (high - low) / 3.92 * 0.12  # of the difference of two such ends, 2.5 % of 1,000 resamples each
    for mine, other in zip((low, high), theirs.values, strict=True):
        _agree("end of an interval", mine, other, error)
    radcap = "intervals: radcap", seconds(ours.wall_s), seconds(ours.cpu_s), ""
    return [_other("intervals: SciPy", theirs, ours, columns), radcap]


def _agree(what: str, ours: float, theirs: float, error: float) -> None:
    if not abs(ours - theirs) <= CHANCE * error:
        raise Failed(f"{what}: radcap says {ours!r}, the other way {theirs!r}. Chance does not explain that.")


def _other(title: str, one: Work, ours: Work, scale: int) -> tuple[str, ...]:
    """Another way, from what it took once."""
    figures = seconds(one.wall_s * scale), seconds(one.cpu_s * scale), ratio(one.cpu_s * scale / ours.cpu_s)
    return title, *(f"*{figure}*" for figure in figures)


def _whole_command(settings: Settings, tests: int) -> str:
    images, runs = settings.images, settings.runs
    with tempfile.TemporaryDirectory() as folder:
        data = Captions(Path(folder) / "data")
        sizes = ["--images", str(images), "--runs", str(runs)]
        measure([sys.executable, HERE / "synthetic_captions.py", data.folder, *sizes])
        say(f"radcap compare, {runs} runs")
        command = [sys.executable, "-m", "radcap", "compare", *map(data.run, range(1, runs + 1))]
        options = ["--truth", data.truth, "--task", "captions", "--metrics", ",".join(COMPARED), "--json"]
        draws = ["--permutations", str(settings.permutations), "--resamples", str(RESAMPLES)]
        done = measure([*command, *options, *draws])
    found = json.loads(done.output)["metrics"]
    if [one["metric"] for one in found] != [*COMPARED] or sum(len(one["pairs"]) for one in found) != tests:
        raise Failed(f"radcap compare gave {[(one['metric'], len(one['pairs'])) for one in found]}.")
    row = "`radcap compare`", seconds(done.wall_s), seconds(done.cpu_s), f"{done.peak_mib:,.0f}"
    return table((f"{runs} runs, {images:,} images", "Wall, s", "CPU, s", "Peak, MiB"), [row])


if __name__ == "__main__":
    print_report(report, __doc__)
