"""Scores as tables for people: both profiles side by side, and what the scores hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report import Table, digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.reports import Habits, NotScored, ScoreReport

__all__ = ["habits_table", "missing_lines", "run_table", "score_table"]

_NONE = "-"


def score_table(report: ScoreReport, other: ScoreReport | None) -> Table:
    """One run: each score under the chosen profile and, where it can be formed, under the other.

    Profiles may leave out different images, so each has its own count beside its scores.
    """
    reports = [report] if other is None else [report, other]
    names = dict.fromkeys(
        name for one in reports for name in (*(score.name for score in one.scores), *one.aggregates)
    )
    columns = ("score", *(column for one in reports for column in (one.profile, f"images ({one.profile})")))
    rows = tuple((name, *(cell for one in reports for cell in _value_and_n(one, name))) for name in names)
    return Table(columns, rows, f"edition {report.edition}", right=frozenset(columns[1:]))


def _value_and_n(report: ScoreReport, name: str) -> tuple[str, str]:
    if name in report:
        found = report[name]
        constant = " (constant)" if found.is_constant else ""
        return f"{digits(found.value)}{constant}", f"{found.n:,}"
    figure = report.aggregates.get(name)
    return (_NONE, _NONE) if figure is None else (digits(figure), f"{report.n:,}")


def habits_table(habits: Habits) -> Table:
    """What the score hides."""
    return Table(("beside the score", "run", "truth"), habits.rows(), right=frozenset({"run", "truth"}))


def missing_lines(missing: Sequence[NotScored], *, in_full: bool) -> list[str]:
    """What could not be scored, by reason. Models that nobody asked for by name share a line."""
    absent = [] if in_full else [one.name for one in missing if one.absent]
    reasons: dict[str, list[str]] = {}
    for one in missing:
        if one.name not in absent:
            reasons.setdefault(f"{one.why} {one.how}".strip(), []).append(one.name)
    lines = [f"{', '.join(names)}: not scored. {reason}" for reason, names in reasons.items()]
    if absent:
        names = ", ".join(absent)
        lines.append(f"Not scored, for lack of what they need: {names}. See radcap metrics status.")
    return lines


def run_table(
    reports: Sequence[tuple[str, ScoreReport]], metrics: Sequence[str], beside: Sequence[str], title: str = ""
) -> Table:
    """Several runs, the best in the first metric on top, with what their scores hide."""
    ordered = sorted(reports, key=lambda named: -named[1][metrics[0]].value)
    rows = tuple((name, *_scores(report, metrics), *_beside(report, beside)) for name, report in ordered)
    columns = ("run", *metrics, *beside)
    return Table(columns, rows, title, right=frozenset(columns[1:]))


def _scores(report: ScoreReport, metrics: Sequence[str]) -> list[str]:
    return [digits(report[name].value) if name in report else _NONE for name in metrics]


def _beside(report: ScoreReport, names: Sequence[str]) -> list[str]:
    known = {} if report.habits is None else {name: run for name, run, _ in report.habits.rows()}
    return [known.get(name, _NONE) for name in names]
