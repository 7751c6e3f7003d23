"""The benchmark of published captioners runs whole at a tiny size, without a GPU."""

from __future__ import annotations

import pytest
from bench_files import run_script


@pytest.mark.slow
def test_both_ways_write_and_are_compared() -> None:
    done = run_script("bench_pretrained.py", "--quick")
    assert done.returncode == 0, done.stderr
    for way in ("| as it is |", "| transformers, one image at a time |", "| radcap |"):
        assert way in done.stdout
    assert "not at this size" in done.stdout


def test_a_quick_run_writes_no_figures() -> None:
    done = run_script("bench_pretrained.py", "--quick", "--write")
    assert done.returncode != 0
    assert "--write takes a full run" in done.stderr
