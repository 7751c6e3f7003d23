"""The result of scoring one run: scores, what could not be scored and why, what was found in the file.

Invariant: floats are never rounded here; printing decides digits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from radcap.core import Issue, Level, Score, Task, unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import Missing

__all__ = ["Habits", "NotScored", "ScoreReport"]


class Habits(Protocol):
    """What stands beside the scores of a task: counts of the run, with those of the truth."""

    def rows(self) -> tuple[tuple[str, str, str], ...]: ...

    def to_json(self) -> dict[str, float | int]: ...


@dataclass(frozen=True, slots=True)
class NotScored:
    """A metric the edition implies that could not be formed."""

    name: str
    why: str
    how: str
    absent: bool = False  # for lack of a program, a model or a licence

    @classmethod
    def of(cls, name: str, missing: Missing) -> NotScored:
        return cls(name, f"{missing.what} is missing. {missing.why}", missing.how, absent=True)

    def to_json(self) -> dict[str, str]:
        return {"name": self.name, "why": self.why, "how": self.how}


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """Everything known about one run under one edition and profile."""

    edition: str
    profile: str
    task: Task
    n: int
    scores: tuple[Score, ...] = ()
    aggregates: Mapping[str, float | None] = field(default_factory=dict[str, float | None])
    missing: tuple[NotScored, ...] = ()
    issues: tuple[Issue, ...] = ()
    habits: Habits | None = None

    @property
    def ok(self) -> bool:
        return not any(issue.level is Level.ERROR for issue in self.issues)

    def __contains__(self, name: object) -> bool:
        return any(score.name == name for score in self.scores)

    def __getitem__(self, name: str) -> Score:
        for score in self.scores:
            if score.name == name:
                return score
        raise unknown_name("score", name, [score.name for score in self.scores])

    def _repr_html_(self) -> str:
        from radcap.core.notebooks import html_note, html_together
        from radcap.metrics.score_tables import habits_table, missing_lines, score_table

        habits = [] if self.habits is None else [habits_table(self.habits)]
        tables = (one.to_notebook() for one in (score_table(self, None), *habits))
        return html_together(*tables, *map(html_note, missing_lines(self.missing, in_full=False)))

    def to_json(self) -> dict[str, Any]:
        return {
            "edition": self.edition,
            "profile": self.profile,
            "task": self.task.value,
            "n": self.n,
            "scores": [score.to_json() for score in self.scores],
            "aggregates": dict(self.aggregates),
            "missing": [one.to_json() for one in self.missing],
            "issues": [issue.to_json() for issue in self.issues],
            "habits": None if self.habits is None else self.habits.to_json(),
        }
