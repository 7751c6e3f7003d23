"""Read a caption run and its truth under the rules of an edition.

Invariant: an empty caption does not refuse a run, because the metrics that can read it are scored; it stays
among the issues at the level the edition gives it. Where the truth has captions for some of its images only,
the others are left out of the run, and how many is an issue too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import Issue, Run, Task
from radcap.formats import Expected, Findings, dialect, named
from radcap.metrics.caption_labels import caption_labels, refuse_concepts
from radcap.metrics.loading import run_of

if TYPE_CHECKING:
    from radcap.formats import Dialect
    from radcap.metrics.loading import Labels

__all__ = ["EMPTY_CAPTION", "NO_CAPTION", "LoadedCaptions", "load_captions"]

EMPTY_CAPTION = "RUN401"
NO_CAPTION = "TRU105"


@dataclass(frozen=True, slots=True)
class LoadedCaptions:
    """A run and its truth, read once; both profiles can be scored from it."""

    edition: str
    run: Run
    truth: Run
    issues: tuple[Issue, ...] = ()


def load_captions(
    run: Labels, truth: Labels, *, edition: str = "2025", strict: bool = False
) -> LoadedCaptions:
    """Read run and truth under the rules of an edition; a run that breaks them is refused with all issues."""
    form = dialect(edition, Task.CAPTIONS)  # an unknown edition is refused before any file is read
    labels = caption_labels(truth, edition)
    expected = _expected(labels)
    given, issues = run_of(run, Task.CAPTIONS, edition, expected, strict=strict, bearable={EMPTY_CAPTION})
    path = str(run) if isinstance(run, Path | str) else ""
    refuse_concepts(given, path or given.name or "The run", path, issues)
    found = _captioned(given, labels)
    issues = issues if path else _empty_captions(found, form)
    return LoadedCaptions(edition, found, labels, (*issues, *_left_out(given, found, labels, form)))


def _expected(labels: Run) -> Expected:
    """What a run names: every image that has a true caption, and any others of the task."""
    expected = Expected.of(labels.images or labels.cells, labels.name or "the truth")
    return replace(expected, optional=expected.position.keys() - labels.cells.keys())


def _captioned(run: Run, labels: Run) -> Run:
    """The run on the images that have a true caption."""
    if not labels.images:
        return run
    return replace(run, cells={one: cell for one, cell in run.cells.items() if one in labels.cells})


def _left_out(given: Run, found: Run, labels: Run, form: Dialect) -> tuple[Issue, ...]:
    findings = Findings(form)
    left, name = len(given) - len(found), labels.name or "the truth"
    if left:
        n, total, kept = f"{left:,}", f"{len(given):,}", f"{len(found):,}"
        findings.add(NO_CAPTION, 0, 0, n=n, total=total, kept=kept, source=labels.source, file=name)
    return findings.issues


def _empty_captions(run: Run, form: Dialect) -> tuple[Issue, ...]:
    """What the check of a file would have said, for a value that has no file."""
    findings = Findings(form)
    for image_id, caption in run.cells.items():
        if not (caption or "").strip():
            findings.add(EMPTY_CAPTION, 0, 0, id=named(image_id))
    return findings.issues
