"""The runs of the systems: written, checked, scored as edition 2025 does, and compared.

Invariant: nothing is downloaded; what cannot be scored without a model is named with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.core import Run, Task
from radcap.datasets import image_groups
from radcap.formats import validate, write_lines, write_run
from radcap.metrics import compare, score_captions, score_concepts
from radcap.metrics.comparison_report import comparison_html
from radcap.metrics.score_tables import missing_lines, score_table
from radcap.report import board_table, summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.formats import Validation
    from radcap.metrics import RunComparison, ScoreReport
    from radcap.reading.demo.system_runs import SystemRuns
    from radcap.report import Table

__all__ = ["EDITION", "JudgedSystems", "JudgedTask", "judged_systems", "write_truth"]

EDITION = "2025"
_METRICS = {Task.CONCEPTS: None, Task.CAPTIONS: ("rouge1", "cider")}  # what compare needs no model for


@dataclass(frozen=True, slots=True)
class JudgedTask:
    """One task: the run of the shipped model, what was found in it, what it scores, and against whom."""

    task: Task
    run: Path
    validation: Validation
    report: ScoreReport
    compared: RunComparison
    page: Path

    @property
    def scores(self) -> Table:
        return score_table(self.report, None)

    @property
    def missing(self) -> list[str]:
        return missing_lines(self.report.missing, in_full=False)

    @property
    def board(self) -> Table:
        return board_table(self.compared.comparison)

    @property
    def verdict(self) -> str:
        return summary(self.compared.comparison)


@dataclass(frozen=True, slots=True)
class JudgedSystems:
    """Both tasks on one truth."""

    truth: Path
    images: int
    concepts: JudgedTask
    captions: JudgedTask


def judged_systems(runs: SystemRuns, test: Dataset, out: Path) -> JudgedSystems:
    """Write the runs beside their truth and judge them."""
    truth = write_truth(test, out / "test")
    concepts = _judged(Task.CONCEPTS, runs.concepts, truth, test, out)
    captions = _judged(Task.CAPTIONS, runs.captions, truth, test, out)
    return JudgedSystems(truth, len(test), concepts, captions)


def write_truth(test: Dataset, folder: Path) -> Path:
    """The labels of the test images as files of a truth."""
    records = list(test)
    labels = {
        "concepts": Run(Task.CONCEPTS, {one.id: ";".join(one.concepts) for one in records}),
        "concepts_manual": Run(Task.CONCEPTS, {one.id: ";".join(one.manual) for one in records}),
        "captions": Run(Task.CAPTIONS, {one.id: _composed(one.captions) for one in records}),
    }
    for name, run in labels.items():
        write_run(run, folder / f"{name}.csv")
    return folder


def _composed(captions: Sequence[object]) -> str:
    """Every test image has a caption that was composed of labels; few have one of their own beside it."""
    from radcap.datasets.records import Caption, CaptionSource

    found = [one for one in captions if isinstance(one, Caption)]
    return next((one.text for one in found if one.source is CaptionSource.COMPOSED), "")


def _judged(task: Task, runs: Mapping[str, Run], truth: Path, test: Dataset, out: Path) -> JudgedTask:
    files = {
        name: write_run(run, out / "runs" / f"{task.value}-{_file_name(name)}.csv", order=test.ids)
        for name, run in runs.items()
    }
    shipped = next(iter(files.values()))
    # several images show one case
    groups = image_groups(test)
    compared = compare(files, truth, task, edition=EDITION, metrics=_METRICS[task], groups=groups)
    title = f"Systems for {task.value} on the test images of radiology-open"
    page = out / f"compare-{task.value}.html"
    return JudgedTask(
        task=task,
        run=shipped,
        validation=validate(shipped, task, truth=truth, edition=EDITION),
        report=_scored(task, shipped, truth),
        compared=compared,
        page=write_lines([comparison_html(compared, title)], page),
    )


def _scored(task: Task, run: Path, truth: Path) -> ScoreReport:
    score = score_concepts if task is Task.CONCEPTS else score_captions
    return score(run, truth, edition=EDITION)


def _file_name(name: str) -> str:
    return name.replace(":", "-").replace(" ", "-")
