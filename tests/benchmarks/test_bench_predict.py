"""The benchmark of prediction runs at a tiny size, and both ways give the same logits."""

from __future__ import annotations

import pytest
from bench_files import run_script


@pytest.mark.slow
def test_bench_predict_compares_with_the_bare_pass() -> None:
    done = run_script("bench_predict.py", "--quick")
    assert done.returncode == 0, done.stderr
    assert "| bare forward pass |" in done.stdout
    assert "not at this size" in done.stdout
