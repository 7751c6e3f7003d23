"""The first moment: `import radcap`, `radcap --help`, and what a shell asks for when Tab is pressed.

Invariant: whole processes are timed, Python's own start included; the list of commands must be printed.

    python benchmarks/bench_startup.py [--quick]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from settings import FULL, print_report, say
from stopwatch import Failed, measure, warm_up
from tables import Goal, goal_table, often, table

if TYPE_CHECKING:
    from settings import Settings

__all__ = ["report"]

TEXT = """## Start

Whole processes, after one that filled the caches; each ran {often}, the median counts.
Python itself is in every figure.
"""
RADCAP = (sys.executable, "-m", "radcap")
WAYS = {
    "Python alone": (sys.executable, "-c", "pass"),
    "`import radcap`": (sys.executable, "-c", "import radcap"),
    "`radcap --version`": (*RADCAP, "--version"),
    "`radcap --help`": (*RADCAP, "--help"),
    "Tab behind `radcap `": ("env", "RADCAP_COMPLETE_LINE=radcap ", *RADCAP),
    "Tab behind `radcap predict zoo:`": ("env", "RADCAP_COMPLETE_LINE=radcap predict zoo:", *RADCAP),
    "`radcap editions`": (*RADCAP, "editions"),
}
GOALS = {"`import radcap`": 0.15, "`radcap --help`": 0.3}


def report(settings: Settings) -> str:
    """The measurement as Markdown; raises Failed where a command did not answer."""
    warm_up()
    say(f"{len(WAYS)} ways to start, {often(settings.times)} each")
    done = {name: measure(command, times=settings.times) for name, command in WAYS.items()}
    if "validate" not in done["`radcap --help`"].output:
        raise Failed("radcap --help did not list the commands.")
    rows = [(name, _ms(one.wall_s), _ms(one.cpu_s)) for name, one in done.items()]
    goals = [Goal(name, done[name].wall_s, limit, "s") for name, limit in GOALS.items()]
    parts = [
        TEXT.format(often=often(settings.times)),
        table(("", "Wall, ms", "CPU, ms"), rows),
        goal_table(goals, judged=settings == FULL),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f}"


if __name__ == "__main__":
    print_report(report, __doc__)
