"""Several runs on one truth: score each, then say which differ.

Invariant: every run is scored under the same edition, profile and truth, on the same images; the metrics
compared are those that all runs have. Faults of all runs are reported together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from radcap.core import (
    InputError,
    Level,
    Missing,
    Run,
    Score,
    Task,
    UsageError,
    counted,
    signature,
    unknown_name,
)
from radcap.formats import dialect
from radcap.metrics.aggregates import aggregate, parts_of
from radcap.metrics.caption_labels import caption_labels
from radcap.metrics.caption_texts import TrueTexts
from radcap.metrics.captions import ALL, CaptionScorer, load_captions
from radcap.metrics.concepts import concept_labels, load_concepts, score_loaded
from radcap.metrics.editions import edition as edition_of
from radcap.metrics.run_names import named_runs
from radcap.metrics.text_pairs import Resources
from radcap.stats import Comparison, Procedure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.core import ImageId
    from radcap.metrics.loading import Labels
    from radcap.metrics.reports import NotScored, ScoreReport

__all__ = ["RefusedRuns", "RunComparison", "ScoredRun", "compare"]

Scorer: TypeAlias = "Callable[[Labels], ScoredRun]"


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """One run of a comparison: what it says, what is true, what it scores."""

    path: str
    run: Run
    truth: Run
    report: ScoreReport


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Runs under one edition, their standings and tests, and what stands beside the scores."""

    task: Task
    edition: str
    profile: str
    runs: Mapping[str, ScoredRun]
    comparison: Comparison
    note: str = ""  # why another metric ranks than the edition's

    @property
    def missing(self) -> tuple[NotScored, ...]:
        """What some run lacks, each metric once."""
        found = {one.name: one for run in self.runs.values() for one in run.report.missing}
        return tuple(found.values())

    def score(self, run: str) -> Score:
        """The score of a run in the metric that ranks, with its value for every image."""
        return _scores(self.runs[run].report)[self.comparison.primary.metric]

    @property
    def ok(self) -> bool:
        return all(run.report.ok for run in self.runs.values())

    def _repr_html_(self) -> str:
        from radcap.core.notebooks import html_note, html_together
        from radcap.report import board_table, summary

        told = (summary(self.comparison), self.note)
        return html_together(board_table(self.comparison).to_notebook(), *map(html_note, told))

    def to_json(self) -> dict[str, Any]:
        return {
            "task": self.task.value,
            "edition": self.edition,
            "profile": self.profile,
            "n": next(iter(self.runs.values())).report.n,
            "ranked_by": self.comparison.primary.metric,
            "note": self.note,
            **self.comparison.to_json(),
            "habits": {
                name: None if run.report.habits is None else run.report.habits.to_json()
                for name, run in self.runs.items()
            },
            "missing": [one.to_json() for one in self.missing],
            "issues": {
                name: [issue.to_json() for issue in run.report.issues] for name, run in self.runs.items()
            },
        }


class RefusedRuns(InputError):
    """One or more runs cannot be scored; each has its own list of issues."""

    def __init__(self, refused: Mapping[str, InputError], runs: int) -> None:
        names = ", ".join(error.path or name for name, error in refused.items())
        said = dict.fromkeys(str(error) for error in refused.values() if not _has_errors(error))
        why = "".join(f"{one} " for one in said)
        super().__init__(
            f"{len(refused):,} of {counted(runs, 'run')} cannot be scored: {names}. {why}"
            "Nothing was compared. Mend them, or leave them out."
        )
        self.errors = {error.path or name: error for name, error in refused.items()}


def _has_errors(error: InputError) -> bool:
    """Whether the issues tell why; else the sentence alone does."""
    return any(issue.level is Level.ERROR for issue in error.issues)


def compare(  # noqa: PLR0913, it takes what the command takes
    runs: Sequence[Path | str] | Mapping[str, Labels],
    truth: Labels,
    task: Task | str,
    *,
    edition: str = "2025",
    profile: str = "official",
    metrics: Sequence[str] | str | None = None,
    rank_by: str | None = None,
    manual: Labels | None = None,
    procedure: Procedure | None = None,
    groups: Mapping[ImageId, str] | None = None,
    resources: Resources | None = None,
) -> RunComparison:
    """Score runs and compare them, by intervals, paired tests, letters and ranks.

    `runs` are files, or a mapping from the name of a run to a file, a `Run` or a plain mapping. `groups` says
    which images hang together, as those of one article do: they are then drawn and tested as wholes.
    """
    from radcap.stats import compare_scores  # numpy, which the other commands do without

    task = Task(task)
    metrics = [metrics] if isinstance(metrics, str) else metrics
    chosen = named_runs(runs)
    _check_task(task, metrics, manual)
    if task is Task.CONCEPTS:
        score = _concept_scorer(truth, manual, edition, profile)
    else:
        score = _caption_scorer(truth, edition, profile, metrics, resources)
    scored = _score_all(chosen, score)
    scores = _common(scored)
    if not next(iter(scores.values())):
        raise _nothing_to_compare(scored)
    first = next((name for name in metrics or () if name != ALL), None)
    usual = first or _primary(edition, profile, task)
    ranking, note = _ranking(rank_by, list(next(iter(scores.values()))), usual)
    ordered = {name: {ranking: found[ranking], **found} for name, found in scores.items()}
    comparison = compare_scores(ordered, procedure=procedure or Procedure(), groups=groups)
    return RunComparison(task, edition, profile, scored, comparison, note)


def _check_task(task: Task, metrics: Sequence[str] | None, manual: Labels | None) -> None:
    """Refuse what the other task takes: left aside in silence, it would seem to have had an effect."""
    if task is Task.CONCEPTS and metrics is not None:
        raise UsageError(
            f"The metrics {', '.join(metrics)} are of captions, and concepts are compared. "
            "Leave them out; rank_by takes f1, f1_manual, precision or recall."
        )
    if task is Task.CAPTIONS and manual is not None:
        raise UsageError("Manual labels are of concepts, and captions are compared. Leave them out.")


def _nothing_to_compare(scored: Mapping[str, ScoredRun]) -> Missing:
    lacking = {one.name: one for run in scored.values() for one in run.report.missing}
    why = " ".join(f"{one.name}: {one.why}" for one in lacking.values())
    how = " ".join(dict.fromkeys(one.how for one in lacking.values()))
    return Missing("A metric that every run has", why, how)


def _concept_scorer(truth: Labels, manual: Labels | None, edition: str, profile: str) -> Scorer:
    """The truth is read once, so that what is wrong with it is no fault of the runs."""
    labels, manual_labels = concept_labels(truth, manual, edition)

    def score(run: Labels) -> ScoredRun:
        loaded = load_concepts(run, labels, edition=edition, manual=manual_labels)
        return ScoredRun(_path(run), loaded.run, labels, score_loaded(loaded, profile=profile))

    return score


def _caption_scorer(
    truth: Labels, edition: str, profile: str, metrics: Sequence[str] | None, resources: Resources | None
) -> Scorer:
    """The truth is read and prepared once."""
    dialect(edition, Task.CAPTIONS)  # an unknown edition is refused before any file is read
    labels = caption_labels(truth, edition)
    texts = TrueTexts(labels, resources or Resources())

    def score(run: Labels) -> ScoredRun:
        loaded = load_captions(run, labels, edition=edition)
        report = CaptionScorer(loaded, truth=texts).report(profile, metrics)
        return ScoredRun(_path(run), loaded.run, labels, report)

    return score


def _path(run: Labels) -> str:
    return str(run) if isinstance(run, Path | str) else ""


def _score_all(runs: Mapping[str, Labels], score: Scorer) -> dict[str, ScoredRun]:
    scored: dict[str, ScoredRun] = {}
    refused: dict[str, InputError] = {}
    for name, run in runs.items():
        try:
            scored[name] = score(run)
        except InputError as error:
            refused[name] = error
    if refused:
        raise RefusedRuns(refused, len(runs))
    return scored


def _common(scored: Mapping[str, ScoredRun]) -> dict[str, dict[str, Score]]:
    """The scores with per-image values that every run has."""
    every = {name: _scores(run.report) for name, run in scored.items()}
    shared = [metric for metric in next(iter(every.values())) if all(metric in one for one in every.values())]
    return {name: {metric: found[metric] for metric in shared} for name, found in every.items()}


def _scores(report: ScoreReport) -> dict[str, Score]:
    scores = {score.name: score for score in report.scores if score.values and not score.is_constant}
    figures = {name: value for name, value in report.aggregates.items() if value is not None}
    return {**scores, **{name: _figure(name, value, report) for name, value in figures.items()}}


def _figure(name: str, value: float, report: ScoreReport) -> Score:
    """An aggregate as a score of its own: a mean of metrics, so it has a value for every image too."""
    parts = {part: report[part] for part in parts_of(name)}
    first = next(iter(parts.values()))
    rows = zip(*(score.values for score in parts.values()), strict=True)
    values = (aggregate(name, dict(zip(parts, row, strict=True))) for row in rows)
    more = {"captions": first.captions} if first.captions else {}
    mark = signature(
        name, edition=report.edition, profile=report.profile, parts="+".join(parts), **more, truth=first.truth
    )
    return Score(name, value, first.n, mark, first.ids, tuple(one for one in values if one is not None))


def _primary(edition: str, profile: str, task: Task) -> str:
    captions = edition_of(edition).profile(profile).captions
    return "f1" if task is Task.CONCEPTS or captions is None else captions.primary


def _ranking(asked: str | None, found: list[str], primary: str) -> tuple[str, str]:
    """The metric that ranks, and a word on it where it is not the edition's."""
    if asked is not None:
        if asked not in found:
            raise unknown_name("metric to rank by", asked, found)
        return asked, ""
    if primary in found:
        return primary, ""
    return found[0], f"{primary} could not be formed for every run, so {found[0]} ranks."
