"""The benchmark of reading runs at a tiny size, and both ways write the same captions."""

from __future__ import annotations

import pytest
from bench_files import run_script


@pytest.mark.slow
def test_bench_read_compares_with_import_torch_and_with_the_bare_networks() -> None:
    done = run_script("bench_read.py", "--quick")
    assert done.returncode == 0, done.stderr
    for row in ("| `radcap read IMAGE` |", "| bare networks | 8 |", "| readings with maps | 1 |"):
        assert row in done.stdout
    assert "not at this size" in done.stdout
