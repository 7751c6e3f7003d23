"""The benchmark of training runs whole at a tiny size, without a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bench_files import run_script

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_bench_training_compares_with_the_plain_loop(tmp_path: Path) -> None:
    done = run_script("bench_training.py", "--quick", "--folder", tmp_path)
    assert done.returncode == 0, done.stderr
    for way in ("| plain loop |", "| `radcap train`, first |", "| `radcap train`, later |", "| as it is |"):
        assert way in done.stdout
    assert "not at this size" in done.stdout
    assert len(list((tmp_path / "data" / "train").iterdir())) == 24


@pytest.mark.parametrize(("words", "said"), [(["--quick", "--write"], "full run only"), ([], "no GPU")])
def test_figures_that_would_mislead_are_not_made(words: list[str], said: str) -> None:
    torch = pytest.importorskip("torch")
    if not words and torch.cuda.is_available():
        pytest.skip("there is a GPU, and a full run takes minutes")
    done = run_script("bench_training.py", *words)
    assert done.returncode != 0
    assert said in done.stderr
