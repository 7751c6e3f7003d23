"""The benchmarks of opening datasets and of the image cache run at a tiny size, and do the same work."""

from __future__ import annotations

import pytest
from bench_files import run_script


@pytest.mark.slow
def test_both_ways_of_opening_count_the_same() -> None:
    done = run_script("bench_opening.py", "--quick")
    assert done.returncode == 0, done.stderr
    for way in (
        "pandas, `read_csv` of each file",
        "pandas, and joined to one table",
        "`radcap.load_dataset`",
    ):
        assert f"| {way} |" in done.stdout
    assert "not at this size" in done.stdout


@pytest.mark.slow
def test_the_cache_and_plain_decoding_are_timed_on_the_same_images() -> None:
    done = run_script("bench_images.py", "--quick")
    assert done.returncode == 0, done.stderr
    assert "Pillow" in done.stdout
    assert "not at this size" in done.stdout
