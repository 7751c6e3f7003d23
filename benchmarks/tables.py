"""Markdown tables, goals beside what was measured, and the machine it was measured on."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Goal", "goal_table", "machine", "often", "ratio", "seconds", "table"]

_PACKAGES = (
    *("radcap", "typer", "rich", "numpy", "scikit-learn", "scipy"),
    *("rouge-score", "nltk", "pycocoevalcap", "pandas", "pillow", "pyarrow", "duckdb", "pyahocorasick"),
)


@dataclass(frozen=True, slots=True)
class Goal:
    """What was promised and what came out."""

    what: str
    measured: float
    limit: float
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    def row(self, *, judged: bool) -> tuple[str, str, str, str]:
        """The goal as a row; at a small size it is shown but not judged."""
        sign = "at least" if self.at_least else "at most"
        measured = ratio(self.measured).rstrip("x") if self.at_least else seconds(self.measured)
        verdict = ("yes" if self.met else "**no**") if judged else "not at this size"
        return self.what, f"{sign} {self.limit:g} {self.unit}", f"{measured} {self.unit}", verdict


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; every column but the first is aligned to the right."""
    marks = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, marks, *rows))


def goal_table(goals: Sequence[Goal], *, judged: bool) -> str:
    return table(("Goal", "Wanted", "Measured", "Met"), [goal.row(judged=judged) for goal in goals])


def seconds(value: float) -> str:
    """Three digits, whole seconds from 100 on."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(value: float) -> str:
    return f"{value:,.0f}x" if value >= 10 else f"{value:.1f}x"


def often(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def machine() -> str:
    """What the figures depend on besides the code: machine, load when the run began, versions."""
    from importlib.metadata import version  # its memory would be taken for that of what is measured

    hardware = f"{platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} CPUs"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    versions = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return f"{hardware}, load {os.getloadavg()[0]:.2f} at the start; {python}, {versions}."


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.is_file() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown processor")
