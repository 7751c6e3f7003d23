"""Read a caption run and its truth under the rules of an edition.

Invariant: an empty caption does not refuse a run, because the metrics that can read it are scored; it stays
among the issues at the level the edition gives it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import Issue, Run, Task
from radcap.formats import Expected, Findings, dialect, named
from radcap.metrics.caption_labels import caption_labels, refuse_concepts
from radcap.metrics.loading import run_of

if TYPE_CHECKING:
    from radcap.formats import Dialect
    from radcap.metrics.loading import Labels

__all__ = ["EMPTY_CAPTION", "LoadedCaptions", "load_captions"]

EMPTY_CAPTION = "RUN401"


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
    expected = Expected.of(labels.cells, labels.name or "the truth")
    found, issues = run_of(run, Task.CAPTIONS, edition, expected, strict=strict, bearable={EMPTY_CAPTION})
    path = str(run) if isinstance(run, Path | str) else ""
    refuse_concepts(found, path or found.name or "The run", path, issues)
    return LoadedCaptions(edition, found, labels, issues if path else _empty_captions(found, form))


def _empty_captions(run: Run, form: Dialect) -> tuple[Issue, ...]:
    """What the check of a file would have said, for a value that has no file."""
    findings = Findings(form)
    for image_id, caption in run.cells.items():
        if not (caption or "").strip():
            findings.add(EMPTY_CAPTION, 0, 0, id=named(image_id))
    return findings.issues
