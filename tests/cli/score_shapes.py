"""The JSON of `radcap score`, for both tasks: which keys there are, and of what type."""

from __future__ import annotations

from typing import Any

__all__ = ["ISSUE_KEYS", "REPORT_KEYS", "SCORE_KEYS", "row_of", "shape"]

SCORE_KEYS = {"name": str, "value": float, "n": int, "signature": str}
ISSUE_KEYS = {"code": str, "level": str, "line": int, "column": int, "message": str, "hint": str}
REPORT_KEYS = {
    "edition": str,
    "profile": str,
    "task": str,
    "n": int,
    "scores": list,
    "aggregates": dict,
    "missing": list,
    "issues": list,
    "habits": dict,  # the one key beyond the interface: what the scores hide
}


def shape(value: dict[str, Any]) -> dict[str, type]:
    return {key: type(item) for key, item in value.items()}


def row_of(text: str, name: str) -> list[str]:
    """The row of a printed table that begins with a name."""
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [name])
