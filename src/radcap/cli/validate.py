"""`radcap validate`: everything that is wrong with a run file, and a repaired copy."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_issues, print_json, print_lines, say
from radcap.cli.options import EditionName, Json, RunFile, TaskOption
from radcap.core import UsageError, counted
from radcap.formats import fix_run, github_lines, sarif, shown, validate

if TYPE_CHECKING:
    from radcap.formats import Repair, Validation

__all__ = ["validate_command"]

_CHANGES_SHOWN = 20


class Output(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


def validate_command(
    run: RunFile,
    task: TaskOption,
    truth: Annotated[
        Path | None, typer.Option(help="Truth file or folder whose ids the run must name.")
    ] = None,
    ids: Annotated[
        Path | None, typer.Option(help="Any table whose first column lists the ids; no truth needed.")
    ] = None,
    edition: EditionName = "2026",
    fix: Annotated[
        Path | None, typer.Option("--fix", metavar="OUT", help="Write a repaired copy here (.csv or .zip).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --fix overwrite OUT.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Count packing (zip or plain) as an error too.")
    ] = False,
    vocabulary: Annotated[
        Path | None, typer.Option(help="Label file or concept list; CUIs that never occur in it are named.")
    ] = None,
    output: Annotated[Output, typer.Option("--format", help="Form of the findings.")] = Output.TEXT,
    json: Json = False,
) -> None:
    """Find every problem of a run file in one pass, without stopping at the first.

    Exit code 0: the edition's evaluator takes the run. 1: it does not. Each finding is one line,
    file:line:column: CODE what was read, why it is refused, what to do.
    """
    output = Output.JSON if json else output
    if fix is not None:
        if vocabulary is not None:
            raise UsageError("--vocabulary only checks, --fix only repairs spelling. Run them one by one.")
        repair = fix_run(run, fix, task, ids=ids, truth=truth, edition=edition, strict=strict, force=force)
        _print_repair(repair, output)
        raise typer.Exit(0 if repair.after.ok else 1)
    found = validate(run, task, ids=ids, truth=truth, edition=edition, strict=strict, vocabulary=vocabulary)
    _print(found, output)
    raise typer.Exit(0 if found.ok else 1)


def _print(found: Validation, output: Output) -> None:
    if output in {Output.JSON, Output.SARIF}:
        print_json(found.to_json() if output is Output.JSON else sarif(found))
        return
    if output is Output.GITHUB:
        print_lines(*github_lines(found))
    else:
        print_issues(found.path, found.issues, found.counts)
    say(str(found))


def _print_repair(repair: Repair, output: Output) -> None:
    if output is Output.JSON:
        print_json(repair.to_json())
        return
    if output is Output.SARIF:
        _print(repair.after, output)
        return
    for change in repair.changes[:_CHANGES_SHOWN]:
        print_lines(f"{repair.before.path}:{change.line}: {shown(change.before)} -> {shown(change.after)}")
    rest = len(repair.changes) - _CHANGES_SHOWN
    if rest > 0:
        print_lines(f"{repair.before.path}: {counted(rest, 'more line')} changed")
    repaired = ", ".join(f"{code} x{n:,}" for code, n in repair.repaired.items()) or "no finding"
    say(
        f"{repair.before.path} -> {repair.after.path}: repaired {repaired}; "
        f"{counted(len(repair.changes), 'line')} changed, {counted(repair.moved, 'row')} moved, "
        f"{counted(repair.line_ends, 'line end')} made LF"
    )
    _print(repair.after, output)
