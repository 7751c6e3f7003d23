"""A finding in a file: where, what was read, why it is refused, what to do.

Invariant: lines and columns are those an editor shows, counted from 1; line 0 means the file as a whole.
>>> print(Issue("RUN201", Level.ERROR, 17, 1, "Line 17 is blank.", "Delete it."))
17:1: RUN201 Line 17 is blank. Delete it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Issue", "Level"]


class Level(StrEnum):
    """How grave a finding is under one edition."""

    ERROR = "error"  # the organisers' evaluator refuses the run, or fails on it
    WARNING = "warning"  # accepted, but the score suffers or another edition refuses
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Issue:
    """One finding. `code` is stable and never reused."""

    code: str
    level: Level
    line: int
    column: int
    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.code} {self.message} {self.hint}".rstrip()

    def to_json(self) -> dict[str, str | int]:
        return {
            "code": self.code,
            "level": self.level.value,
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "hint": self.hint,
        }
