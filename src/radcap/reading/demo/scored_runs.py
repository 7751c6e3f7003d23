"""Runs made from a small real truth without a model, one of them full of slips: checked, repaired, scored.

Invariant: everything is made again from a fixed seed; the runs show the scorer, not a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from radcap.core import Level, Task
from radcap.formats import Kind, Repair, Validation, fix_run, read_labels, validate, write_lines, write_run
from radcap.metrics import BleuRule, compare, score_captions, score_concepts
from radcap.metrics.comparison_report import comparison_html
from radcap.metrics.score_tables import run_table
from radcap.reading.demo.made_runs import broken_lines, caption_runs, concept_runs
from radcap.report import Table, board_table, digits, summary

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.core import Run

__all__ = ["ScoredRuns", "scored_runs"]

_CONCEPT_COLUMNS = ("f1", "f1_manual", "precision", "recall")
_BLEU = {"BLEU, NLTK 3.2.2": BleuRule.TRUNCATING, "BLEU, NLTK 3.3": BleuRule.VANISHING}
_CAPTION = "ROCO_42154"  # short, with two findings that are denied
_LABELS = ("concepts.csv", "concepts_manual.csv", "captions.csv")


@dataclass(frozen=True, slots=True)
class ScoredRuns:
    """What was found in the runs, and what they score."""

    caption: str  # one of the truth, and its concepts
    mentions: Table
    broken: Validation
    repair: Repair
    found: Table  # what was wrong before the repair, and what is left after it
    left: Table
    scores: Table
    captions: Table
    board: Table
    verdict: str
    truth: Path
    example: Path
    page: Path


def scored_runs(out: Path) -> ScoredRuns:
    """Link a caption, write truth and runs, check, repair, score and compare them."""
    truth = _write_truth(out / "truth")
    concepts = read_labels(truth / "concepts.csv", Kind.CONCEPTS, "2026")
    captions = read_labels(truth / "captions.csv", Kind.CAPTIONS, "2026")
    said = concept_runs(concepts, read_labels(truth / "concepts_manual.csv", Kind.MANUAL, "2026"))
    written = caption_runs(captions)
    runs = _write_runs(said, concepts, out)
    _write_runs(written, captions, out)
    broken = write_lines(broken_lines(said["noisy"]), out / "broken.csv")
    found = validate(broken, Task.CONCEPTS, truth=truth)
    repair = fix_run(broken, out / "fixed.csv", Task.CONCEPTS, truth=truth, force=True)
    compared = compare(list(runs.values()), truth, Task.CONCEPTS)
    return ScoredRuns(
        caption=captions.cells[_CAPTION] or "",
        mentions=_mention_table(captions.cells[_CAPTION] or ""),
        broken=found,
        repair=repair,
        found=_issue_table(found),
        left=_issue_table(repair.after),
        scores=_concept_table(runs, truth),
        captions=_caption_table(written, captions),
        board=board_table(compared.comparison),
        verdict=summary(compared.comparison),
        truth=truth,
        example=runs["noisy"],
        page=write_lines([comparison_html(compared, "The runs of the demo")], out / "compare.html"),
    )


def _mention_table(caption: str) -> Table:
    """The concepts of a caption, by the free vocabulary."""
    from radcap.vocabulary import link  # Arrow comes with it, and other commands do without
    from radcap.vocabulary.mention_table import mention_table

    return mention_table(link(caption))


def _write_truth(folder: Path) -> Path:
    for name in _LABELS:
        with as_file(files("radcap").joinpath("data", "demo", name)) as shipped:
            write_lines(shipped.read_text("utf-8").splitlines(), folder / name)
    return folder


def _write_runs(runs: dict[str, Run], labels: Run, out: Path) -> dict[str, Path]:
    return {name: write_run(run, out / f"{name}.csv", order=labels.cells) for name, run in runs.items()}


def _concept_table(runs: dict[str, Path], truth: Path) -> Table:
    reports = [(name, score_concepts(path, truth)) for name, path in runs.items()]
    return run_table(reports, _CONCEPT_COLUMNS, ("CUIs per image", "distinct CUIs"))


def _caption_table(runs: dict[str, Run], truth: Run) -> Table:
    """BLEU of 2017 under the rules of two NLTK versions, ROUGE-1, and what they hide."""
    reports = [
        (name, score_captions(run, truth, edition="radcap", metrics=["rouge1"])) for name, run in runs.items()
    ]
    table = run_table(reports, ("rouge1",), ("words per caption", "distinct captions"))
    columns = ("run", *_BLEU, *table.columns[1:])
    rows = tuple((name, *_bleu(runs[name], truth), *rest) for name, *rest in table.rows)
    return Table(columns, rows, right=frozenset(columns[1:]))


def _bleu(run: Run, truth: Run) -> list[str]:
    reports = (score_captions(run, truth, edition="2017", bleu_rule=rule) for rule in _BLEU.values())
    return [digits(report["bleu"].value) for report in reports]


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
