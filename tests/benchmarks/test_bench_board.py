"""The benchmark of the board runs at a tiny size, and both ways say the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from bench_files import run_script

if TYPE_CHECKING:
    from collections.abc import Callable

    Script = Callable[[str], Any]


@pytest.mark.slow
def test_bench_board_compares_with_one_by_one() -> None:
    done = run_script("bench_board.py", "--quick")
    assert done.returncode == 0, done.stderr
    assert "| radcap systems reproduce --jobs 2 |" in done.stdout


def test_runs_that_differ_in_one_image_are_found(tmp_path: Path, script: Script) -> None:
    bench = script("bench_board")
    files = [tmp_path / "radcap-quick-concepts.toml"]
    board = tmp_path / "board-1" / "runs" / "radcap_quick-concepts.csv"
    board.parent.mkdir(parents=True)
    alone = tmp_path / "radcap-quick-concepts.csv"
    alone.write_text("ID,CUIs\na,C0000001;C0000002\nb,\n")
    board.write_text("ID,CUIs\na,C0000002;C0000001\nb,\n")
    bench._compare(files, tmp_path, 1)
    board.write_text("ID,CUIs\na,C0000002\nb,\n")
    with pytest.raises(script("stopwatch").Failed, match="radcap_quick-concepts says other concepts"):
        bench._compare(files, tmp_path, 1)
