"""From what a caller gives to runs and truths: files, folders, `Run` values and plain mappings alike.

Invariant: a run that the edition's evaluator refuses is refused here, with everything that was found in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from radcap.core import InputError, Issue, Level, Run, Task
from radcap.core.counts import counted
from radcap.formats import Expected, Kind, find_truth, named, read_labels, read_run
from radcap.metrics.run_values import as_run

if TYPE_CHECKING:
    from collections.abc import Container

__all__ = ["Labels", "fingerprint", "labels_of", "run_of"]

Labels: TypeAlias = Path | str | Run | Mapping[str, str | Iterable[str] | None]

_EXAMPLES = 5


def labels_of(value: Labels, kind: Kind, edition: str) -> Run:
    """The labels of a kind, from wherever they come."""
    if not isinstance(value, Path | str):
        return _some(as_run(value, kind.task))
    path = Path(value) if kind is Kind.MANUAL else find_truth(Path(value), kind)
    if path is None:
        raise InputError(
            f"{value} holds no {kind.value}.csv. Nothing can be scored. Give the label file itself."
        )
    return replace(read_labels(path, kind, edition), name=path.name)


def run_of(
    value: Labels,
    task: Task,
    edition: str,
    expected: Expected,
    *,
    strict: bool = False,
    bearable: Container[str] = (),
) -> tuple[Run, tuple[Issue, ...]]:
    """The run and what was found in it. Errors refuse it, unless their codes are bearable."""
    if not isinstance(value, Path | str):
        run = as_run(value, task)
        _check_ids(run, expected)
        return run, ()
    run, validation = read_run(value, task, edition=edition, expected=expected, strict=strict)
    if any(issue.level is Level.ERROR and issue.code not in bearable for issue in validation.issues):
        raise InputError(f"{value} cannot be scored under edition {edition}.", validation.issues, str(value))
    return run, validation.issues


def fingerprint(truth: Run) -> str:
    """Eight hex digits that tell one truth from another, whatever the order of its rows.

    >>> fingerprint(Run(Task.CONCEPTS, {"a": "C1", "b": ""}))
    '9d803b23'
    """
    rows = sorted(f"{image_id}\0{cell or ''}" for image_id, cell in truth.cells.items())
    return sha256("\1".join(rows).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _some(labels: Run) -> Run:
    if not labels.cells:
        raise InputError("The truth names no image. The mean is undefined. Give one label or more.")
    return labels


def _check_ids(run: Run, expected: Expected) -> None:
    absent = [one for one in expected.position if one not in run.cells and one not in expected.optional]
    strange = [one for one in run.cells if one not in expected]
    for ids, what in ((absent, "not in the run"), (strange, "in the run and not in the truth")):
        if ids:
            examples = ", ".join(map(named, ids[:_EXAMPLES]))
            raise InputError(
                f"Found {counted(len(ids))} {what}, e.g. {examples}. Every image needs one prediction."
            )
