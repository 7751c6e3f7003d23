"""`radcap` as a process of its own, with what it cost.

A process starts with the peak memory of the one that forked it, and pytest is large: so a small one stands
between, whose only work is to start `radcap` and to read the bill.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_BETWEEN = """
import json, os, resource, sys
pid = os.fork()
if pid == 0:
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
    os.execv(sys.argv[2], sys.argv[2:])
_, status, bill = os.wait4(pid, 0)
cost = [os.waitstatus_to_exitcode(status), bill.ru_utime + bill.ru_stime, bill.ru_maxrss]
with open(sys.argv[1], "w") as file:
    json.dump(cost, file)
"""
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024  # what getrusage counts in


class Done(NamedTuple):
    """What a command left, and what it took."""

    code: int
    out: bytes
    err: bytes
    cpu_s: float
    peak_bytes: int


def clean_environment(**more: str) -> dict[str, str]:
    """Ours without what changes Python's streams or measures its coverage."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONU", "COV"))}
    return {**kept, **more}


def measure(folder: Path, *arguments: str | Path, environment: Mapping[str, str] | None = None) -> Done:
    """Run `radcap` in a folder, for ten seconds of CPU at most."""
    bill = folder / "bill.json"
    command = [sys.executable, "-I", "-S", "-c", _BETWEEN, str(bill), sys.executable, "-m", "radcap"]
    done = subprocess.run(
        [*command, *map(str, arguments)],
        capture_output=True,
        check=True,
        cwd=folder,
        env=clean_environment() if environment is None else dict(environment),
    )
    code, cpu_s, peak = json.loads(bill.read_text("utf-8"))
    bill.unlink()
    return Done(code, done.stdout, done.stderr, cpu_s, peak * _PEAK_UNIT)
