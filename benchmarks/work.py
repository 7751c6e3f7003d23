"""One piece of work in a process of its own, timed inside it: without the start of Python and the imports.

Invariant: every repeat is a new process, so nothing that was remembered makes a later one quicker. CPU time
includes the programs that the work started and waited for.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from settings import say
from stopwatch import Failed, measure
from tables import often

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

__all__ = ["Work", "same_values", "show_work", "time_work"]


@dataclass(frozen=True, slots=True)
class Work:
    """What a piece of work cost (medians), and what came out of it."""

    wall_s: float
    cpu_s: float
    values: list[float]


def time_work(*command: str | os.PathLike[str], times: int = 1) -> Work:
    """Run a script that ends in `show_work` so many times, one after the other."""
    script, way, *_ = command
    say(f"{Path(script).stem} {way}, {often(times)}")
    done = [json.loads(measure([sys.executable, *command]).output) for _ in range(times)]
    if any(one["values"] != done[0]["values"] for one in done):
        raise Failed(f"{script} {way} gave other values the next time.")
    return Work(
        median(one["wall_s"] for one in done), median(one["cpu_s"] for one in done), done[0]["values"]
    )


def show_work(work: Callable[[], Sequence[float]]) -> None:
    """The other side: do the work and print what `time_work` reads."""
    wall_s, cpu_s = time.perf_counter(), _cpu_s()
    values = work()
    wall_s, cpu_s = time.perf_counter() - wall_s, _cpu_s() - cpu_s
    print(json.dumps({"wall_s": wall_s, "cpu_s": cpu_s, "values": list(values)}))


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def same_values(what: str, ours: Sequence[float], theirs: Sequence[float], tolerance: float = 0.0) -> str:
    """How equal two ways are, in words; raises Failed where they differ by more than the tolerance."""
    if not ours:
        raise Failed(f"{what}: no value was computed.")
    apart = [abs(one - other) for one, other in zip(ours, theirs, strict=True)]
    for place, distance in enumerate(apart):
        if not distance <= tolerance:  # so written, NaN fails too
            found, wanted = ours[place], theirs[place]
            raise Failed(f"{what}: value {place + 1} of {len(ours):,} is {found!r}, not {wanted!r}.")
    return "equal to the last bit" if max(apart) == 0 else f"equal to {max(apart):.0e}"
