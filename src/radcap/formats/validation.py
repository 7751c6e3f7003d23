"""Read a run under the rules of an edition, and say everything that is wrong with it.

Invariant: one pass, all findings; what the run then holds is what that edition's scorer would see.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.core import Issue, Level, Run, Task, UsageError, counted
from radcap.formats.captions import CaptionCheck
from radcap.formats.cells import clean_concepts
from radcap.formats.concepts import ConceptCheck
from radcap.formats.dialects import RADCAP, dialect
from radcap.formats.findings import Findings, named
from radcap.formats.header import take_header
from radcap.formats.ids import IdCheck
from radcap.formats.limits import Limits
from radcap.formats.packing import read_chunks
from radcap.formats.rows import Row, read_rows
from radcap.formats.truth import read_expected, read_ids, read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from radcap.formats.expected import Expected

__all__ = ["Reader", "Validation", "check_quota", "expect", "read_run", "validate"]

_WORDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}


@dataclass(frozen=True, slots=True)
class Validation:
    """What was found in one run file."""

    path: str
    edition: str
    task: Task
    rows: int
    issues: tuple[Issue, ...]
    counts: Mapping[str, int]

    @property
    def ok(self) -> bool:
        return not any(issue.level is Level.ERROR for issue in self.issues)

    def __str__(self) -> str:
        """The verdict in a line, as the command ends with it."""
        verdict = "passes" if self.ok else "would be refused by"
        counts = ((word, sum(one.level is level for one in self.issues)) for level, word in _WORDS.items())
        told = ", ".join(counted(n, word) for word, n in counts if n) or "clean"
        return f"{self.path}: {counted(self.rows, 'row')}, {verdict} edition {self.edition} ({told})"

    def _repr_html_(self) -> str:
        from radcap.core.notebooks import html_note, html_table, html_together

        if not self.issues:
            return html_together(html_note(str(self)))
        columns = ("line", "column", "code", "level", "what was found", "what to do")
        rows = (
            (f"{one.line}", f"{one.column}", one.code, one.level.value, one.message, one.hint)
            for one in self.issues
        )
        right = ("line", "column")
        return html_table(columns, rows, len(self.issues), title=str(self), right=right, noun="finding")

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "edition": self.edition,
            "task": self.task.value,
            "rows": self.rows,
            "issues": [issue.to_json() for issue in self.issues],
            "counts": dict(self.counts),
        }


class Reader:
    """One reading of a run file: its data rows, and after them the findings."""

    def __init__(
        self,
        path: Path,
        task: Task,
        edition: str,
        expected: Expected | None = None,
        *,
        strict: bool = False,
        vocabulary: AbstractSet[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.path = path
        self.dialect = dialect(edition, task)
        self.limits = limits or Limits.for_images(None if expected is None else len(expected))
        self.findings = Findings(self.dialect, strict=strict, kept_per_code=self.limits.issues_per_code)
        self._expected = expected
        self._vocabulary = vocabulary
        self.header: Row | None = None
        self._rows = 0

    def rows(self) -> Iterator[Row]:
        """The rows behind the header, before their cells are looked at."""
        known = None if self._expected is None else self._expected.__contains__
        chunks = read_chunks(self.path, self.findings, self.limits)
        rows = read_rows(chunks, self.findings, self.limits, known or _never)
        first = next(rows, None)
        if first is not None and take_header(first, self.findings, known):
            self.header = first
        elif first is not None:
            rows = chain((first,), rows)
        for row in rows:
            self._rows += 1
            yield row

    def cells(self) -> Iterator[tuple[str, str | None]]:
        """Each image once, with its cell as the edition's scorer reads it; checks everything on the way."""
        ids = IdCheck(self.findings, self._expected)
        is_concepts = self.dialect.task is Task.CONCEPTS
        check = ConceptCheck(self.findings, self._vocabulary) if is_concepts else CaptionCheck(self.findings)
        for row in self.rows():
            image_id = ids.take(row)
            cell = check.take(row, row.cells[0] if image_id is None else image_id)
            if image_id is not None:
                yield image_id, cell
        self._note_no_rows()
        ids.finish()
        check.finish()

    def _note_no_rows(self) -> None:
        if self._rows:
            return
        if self.header is not None:
            n = "the" if self._expected is None else f"{len(self._expected):,}"
            self.findings.add("RUN110", 1, n=n)
        elif not self.findings.has_errors:
            self.findings.add("RUN102", 0, 0, file=named(self.path.name), what="no rows")

    def check(self) -> Validation:
        """Read the whole file for what is wrong with it alone."""
        for _ in self.cells():
            pass
        return self.validation()

    def validation(self) -> Validation:
        """What was found so far."""
        return Validation(
            str(self.path),
            self.dialect.edition,
            self.dialect.task,
            self._rows,
            self.findings.issues,
            dict(sorted(self.findings.counts.items())),
        )


def _never(_: str) -> bool:
    return False


def expect(
    task: Task, *, ids: Path | str | None = None, truth: Path | str | None = None, edition: str = RADCAP
) -> Expected:
    """The ids a run must name, from a list of ids or from a truth file or folder."""
    dialect(edition, task)  # an unknown edition is refused before any file is read
    if ids is not None and truth is None:
        return read_ids(Path(ids), edition)
    if truth is not None and ids is None:
        return read_expected(Path(truth), task, edition)
    raise UsageError("A run is checked against a list of ids or a truth. Give exactly one of the two.")


def validate(
    run: Path | str,
    task: Task | str,
    *,
    ids: Path | str | None = None,
    truth: Path | str | None = None,
    edition: str = "2026",
    strict: bool = False,
    vocabulary: Path | str | None = None,
) -> Validation:
    """Check a run file against the ids of a truth (file or folder), or against a bare list of ids."""
    task = Task(task)
    expected = expect(task, ids=ids, truth=truth, edition=edition)
    known = None if vocabulary is None else read_vocabulary(Path(vocabulary))
    return Reader(Path(run), task, edition, expected, strict=strict, vocabulary=known).check()


def read_run(
    path: Path | str,
    task: Task | str,
    *,
    edition: str = RADCAP,
    expected: Expected | None = None,
    strict: bool = False,
) -> tuple[Run, Validation]:
    """A run as the edition's scorer sees it, tidied by the tolerant one, together with all findings."""
    reader = Reader(Path(path), Task(task), edition, expected, strict=strict)
    cells = dict(reader.cells())
    if reader.dialect.tolerant and reader.dialect.task is Task.CONCEPTS:
        cells = {image_id: cell and clean_concepts(cell) for image_id, cell in cells.items()}
    return Run(Task(task), cells, Path(path).stem), reader.validation()


def check_quota(team: str, number: int, edition: str, task: Task) -> Issue | None:
    """Whether a team's run of that number is still graded."""
    form = dialect(edition, task)
    if form.max_runs is None or number <= form.max_runs:
        return None
    findings = Findings(form)
    findings.add("RUN116", 0, 0, n=number, team=named(team), limit=form.max_runs)
    return findings.issues[0]
