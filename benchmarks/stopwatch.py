"""Whole commands, timed from outside as a user waits for them (`work.py` times parts from inside).

Invariant: seconds and memory are those of the child alone. Linux counts the peak of the starting process as
the child's own, so a script that measures must stay small (`own_peak_mib`): data are made by a child too.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Failed", "Measured", "measure", "own_peak_mib", "warm_up"]

_RSS_BYTES = 1 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss
_MIB = 1024 * 1024

# A user's Python keeps bytecode and buffers output, whatever this shell was told.
_ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
}


class Failed(Exception):
    """A measured command did not end as it should, or gave the wrong answer."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one command cost: medians of seconds, the highest peak of memory, and what it printed last."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    times: int
    exit_code: int
    output: str


def measure(command: Sequence[str | os.PathLike[str]], *, times: int = 1, exit_code: int = 0) -> Measured:
    """Run a command so many times, one after the other."""
    runs = [_once(command) for _ in range(times)]
    for run in runs:
        if run.exit_code != exit_code:
            line = " ".join(map(str, command))
            raise Failed(f"{line} ended with {run.exit_code}, not {exit_code}: {run.output[-2000:]}")
    return Measured(
        wall_s=median(run.wall_s for run in runs),
        cpu_s=median(run.cpu_s for run in runs),
        peak_mib=max(run.peak_mib for run in runs),
        times=times,
        exit_code=exit_code,
        output=runs[-1].output,
    )


def warm_up() -> None:
    """Bytecode and disk cache for both ways, so that neither pays for being first."""
    measure([sys.executable, "-m", "radcap", "--version"])
    measure([sys.executable, "-c", "import sklearn.metrics"])


def _once(command: Sequence[str | os.PathLike[str]]) -> Measured:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as talk:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=talk, env=_ENVIRONMENT
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        shown = out if process.returncode == 0 or out.tell() else talk
        shown.seek(0)
        output = shown.read().decode()
    peak_mib = usage.ru_maxrss * _RSS_BYTES / _MIB
    return Measured(wall_s, usage.ru_utime + usage.ru_stime, peak_mib, 1, process.returncode, output)


def own_peak_mib() -> float:
    """The peak of this script so far: a child of it cannot report less."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_BYTES / _MIB
    lines = status.read_text(encoding="ascii").splitlines()  # getrusage would count this script's parent too
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
