"""Scores as tables for people: both profiles side by side, and what the scores hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report import Table, digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.concept_habits import ConceptHabits
    from radcap.metrics.reports import ScoreReport

__all__ = ["habits_table", "run_table", "score_table"]


def score_table(report: ScoreReport, other: ScoreReport | None) -> Table:
    """One run: each score under the chosen profile and, where it can be formed, under the other.

    Profiles may leave out different images, so each has its own count beside its scores.
    """
    reports = [report] if other is None else [report, other]
    names = dict.fromkeys(score.name for one in reports for score in one.scores)
    columns = ("score", *(column for one in reports for column in (one.profile, f"images ({one.profile})")))
    rows = tuple((name, *(cell for one in reports for cell in _value_and_n(one, name))) for name in names)
    return Table(columns, rows, f"edition {report.edition}", right=frozenset(columns[1:]))


def _value_and_n(report: ScoreReport, name: str) -> tuple[str, str]:
    found = next((score for score in report.scores if score.name == name), None)
    if found is None:
        return "-", "-"
    constant = " (constant)" if "|constant:" in found.signature else ""
    return f"{digits(found.value)}{constant}", f"{found.n:,}"


def habits_table(habits: ConceptHabits) -> Table:
    """What the concept score hides."""
    rows = (
        ("CUIs per image", f"{habits.cuis_per_image:.2f}", f"{habits.cuis_per_image_truth:.2f}"),
        ("distinct CUIs", f"{habits.distinct_cuis:,}", f"{habits.distinct_cuis_truth:,}"),
        ("images without CUI", f"{habits.empty_predictions:,}", f"{habits.empty_truths:,}"),
    )
    return Table(("beside the score", "run", "truth"), rows, right=frozenset({"run", "truth"}))


def run_table(reports: Sequence[tuple[str, ScoreReport]], title: str = "") -> Table:
    """Several concept runs, the best first, with what their scores hide."""
    ordered = sorted(reports, key=lambda named: -named[1]["f1"].value)
    columns = ("run", "f1", "f1_manual", "precision", "recall", "CUIs per image", "distinct CUIs")
    return Table(columns, tuple(_run_row(*one) for one in ordered), title, right=frozenset(columns[1:]))


def _run_row(name: str, report: ScoreReport) -> tuple[str, ...]:
    values = {score.name: digits(score.value) for score in report.scores}
    habits = report.habits
    return (
        name,
        *(values.get(metric, "-") for metric in ("f1", "f1_manual", "precision", "recall")),
        "-" if habits is None else f"{habits.cuis_per_image:.2f}",
        "-" if habits is None else f"{habits.distinct_cuis:,}",
    )
