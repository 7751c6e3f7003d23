"""The scripts of `benchmarks/`, for the tests that run or import them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["BENCHMARKS", "run_script"]

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run_script(name: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, BENCHMARKS / name, *words], capture_output=True, text=True, check=False
    )
