"""The demo: a small real truth, runs made from it without a model, one of them full of slips.

Invariant: everything is made again from a fixed seed; the runs show the scorer, not a model.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from radcap.core import Level, Run, Task
from radcap.formats import Kind, Repair, Validation, fix_run, read_labels, validate, write_lines, write_run
from radcap.metrics import score_concepts
from radcap.metrics.score_tables import run_table
from radcap.report import Table

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Story", "run_demo"]

_SEED = 2026
_FREQUENT = "C1306645;C0024485;C0817096"  # the three most frequent concepts of the training images
_LABELS = ("concepts.csv", "concepts_manual.csv")


@dataclass(frozen=True, slots=True)
class Story:
    """What the demo did, for the command line to tell."""

    broken: Validation
    repair: Repair
    found: Table  # what was wrong before the repair, and what is left after it
    left: Table
    scores: Table
    truth: Path
    example: Path


def run_demo(out: Path) -> Story:
    """Write truth and runs into a folder, check and repair the broken one, score all that can be scored."""
    truth = out / "truth"
    for name in _LABELS:
        with as_file(files("radcap").joinpath("data", "demo", name)) as shipped:
            write_lines(shipped.read_text("utf-8").splitlines(), truth / name)
    labels = read_labels(truth / "concepts.csv", Kind.CONCEPTS, "2026")
    manual = read_labels(truth / "concepts_manual.csv", Kind.MANUAL, "2026")
    runs = {
        "noisy": _noisy(labels, kept=0.7, added=0.5),
        "noisier": _noisy(labels, kept=0.45, added=1.0),
        "modality-only": _first_of(manual),
        "constant": Run(Task.CONCEPTS, dict.fromkeys(labels.cells, _FREQUENT)),
    }
    for name, run in runs.items():
        write_run(run, out / f"{name}.csv", order=labels.cells)
    broken = write_lines(_break(runs["noisy"]), out / "broken.csv")
    found = validate(broken, Task.CONCEPTS, truth=truth)
    repair = fix_run(broken, out / "fixed.csv", Task.CONCEPTS, truth=truth, force=True)
    reports = [(name, score_concepts(out / f"{name}.csv", truth)) for name in runs]
    return Story(
        broken=found,
        repair=repair,
        found=_issue_table(found),
        left=_issue_table(repair.after),
        scores=run_table(reports),
        truth=truth,
        example=out / "noisy.csv",
    )


def _issue_table(found: Validation) -> Table:
    """The first finding of each code, errors first, and how many there are."""
    first = {issue.code: issue for issue in reversed(found.issues)}
    grave = list(Level)
    ordered = sorted(first.values(), key=lambda one: (grave.index(one.level), one.line, one.code))
    rows = tuple(
        (issue.code, issue.level.value, f"{found.counts[issue.code]:,}", f"{issue.message} {issue.hint}")
        for issue in ordered
    )
    return Table(("code", "level", "times", "the first of them"), rows, right=frozenset({"times"}))


def _noisy(labels: Run, *, kept: float, added: float) -> Run:
    """Keep a true concept with one chance, add a wrong one with another."""
    chance = random.Random(_SEED)  # noqa: S311, a demo needs no secrets
    every = sorted({cui for cell in labels.cells.values() for cui in (cell or "").split(";")})
    cells: dict[str, str | None] = {}
    for image_id, cell in labels.cells.items():
        cuis = [cui for cui in (cell or "").split(";") if chance.random() < kept]
        wrong = [chance.choice(every)] if chance.random() < added else []
        cells[image_id] = ";".join(dict.fromkeys(cuis + wrong))
    return Run(Task.CONCEPTS, cells)


def _first_of(manual: Run) -> Run:
    """The first manual label, which is the modality: few concepts, all of them right."""
    return Run(Task.CONCEPTS, {key: (cell or "").partition(";")[0] for key, cell in manual.cells.items()})


def _break(run: Run) -> list[str]:
    """The slips people make: each line here was seen on some board."""
    rows = [f"{image_id},{cell}" for image_id, cell in run.cells.items()]
    rows[3] = rows[3].lower().replace("radbench", "RadBench")
    rows[10] += ";"
    rows[20] = rows[20].replace(",", ".jpg,")
    rows[30] = rows[30].replace(",", " ,")
    rows[40] = f"{rows[40]};C0817096;C0817096"
    rows[50] = f"{rows[50].split(',')[0]},C0040405 C0817096"
    rows[60], rows[61] = rows[61], rows[60]
    rows.insert(70, "")
    del rows[100]
    rows.append("RadBench_valid_000001,C0040405")
    return ["\ufeffid,cuis", *rows]
