"""The benchmark of pages of readings: its tables hold what was measured, and nothing read is no figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from bench_files import run_script

if TYPE_CHECKING:
    from collections.abc import Callable

TOLD = {"readings": 50, "maps": 400, "bytes": 1_000_000, "seconds": 0.5}
FRAMES = {"open_ms": 300.4, "median_ms": 16.7, "p95_ms": 33.3, "frames": 90}


def test_sizes_are_told_for_a_hundred(script: Callable[[str], Any]) -> None:
    text = script("bench_readings_page").tables({**TOLD, **FRAMES}, judged=True)
    assert "| MB for 100 readings | 2.00 |" in text
    assert "| ms to make, a reading | 10.0 |" in text
    assert "| ms a frame, 95 of 100 within | 33.3 |" in text
    assert "at most 5 MB | 2.00 MB | yes" in text


def test_without_a_browser_there_are_no_frames(script: Callable[[str], Any]) -> None:
    assert "a frame, median" not in script("bench_readings_page").tables(TOLD, judged=False)


def test_nothing_read_fails_loudly(script: Callable[[str], Any]) -> None:
    bench, stopwatch = script("bench_readings_page"), script("stopwatch")
    with pytest.raises(stopwatch.Failed, match="No image was read"):
        bench.tables({**TOLD, "maps": 0}, judged=True)


@pytest.mark.slow
def test_it_runs_on_real_images() -> None:
    done = run_script("bench_readings_page.py", "--quick")
    assert done.returncode == 0, done.stderr
    assert "| MB for 100 readings |" in done.stdout
