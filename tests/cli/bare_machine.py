"""A machine that has torch and little else: a folder whose start hides the other packages."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from commands import Done

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ABSENT", "bare", "make_bare"]

ABSENT = (
    "typer",
    "rich",
    "click",
    "polars",
    "duckdb",
    "lxml",
    "timm",
    "transformers",
    "torchvision",
    "sklearn",
)
BLOCK = f"""
from importlib.machinery import PathFinder
real = PathFinder.find_spec
def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in {ABSENT} else real(name, path, target)
PathFinder.find_spec = staticmethod(find_spec)
"""


def make_bare(folder: Path) -> None:
    """`bare` in this folder."""
    (folder / "bare").mkdir()
    (folder / "bare" / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")


def bare(folder: Path, *arguments: str | Path) -> Done:
    """`python -m radcap` there."""
    command = [sys.executable, "-m", "radcap", *map(str, arguments)]
    path = os.pathsep.join([str(folder / "bare"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return Done(done.returncode, done.stdout, done.stderr)
