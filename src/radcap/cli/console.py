"""Where output goes: data to stdout, talk to stderr.

Invariant: nothing here computes; a table looks the same in a file as on a terminal, less the colours.
No text from a file or a path reaches a terminal with its control characters.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TextIO

from radcap.core import Level, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from radcap.core import Issue
    from radcap.datasets import Finding
    from radcap.report import Table

__all__ = [
    "open_streams",
    "plain",
    "print_findings",
    "print_issues",
    "print_json",
    "print_lines",
    "print_now",
    "print_table",
    "progress",
    "say",
    "say_warnings",
]

_WIDTH_IN_FILES = 200
_WARNINGS = 5
_COLOURS = {Level.ERROR: 31, Level.WARNING: 33, Level.INFO: 2}
_STYLES = {
    **{"error": "bold red", "warning": "yellow", "info": "dim"},
    **{"ready": "green", "in part": "yellow", "missing": "red"},
}


@contextmanager
def open_streams() -> Generator[None]:
    """Streams that can be written to, and written out while a full disk can still be told.

    A reader who has seen enough (`radcap ... | head`) is no error.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller, as in `radcap ... >&-`
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    try:
        yield
    finally:
        try:
            sys.stdout.flush()
        except OSError as error:
            _abandon(sys.stdout)
            if not isinstance(error, BrokenPipeError):
                raise


def _abandon(stream: TextIO) -> None:
    """Let what cannot be written go nowhere, or Python tries again at its end and exits with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_json(value: object) -> None:
    """One JSON value, floats in full; what is no number is null, since JSON has no NaN."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    except ValueError:
        plain = json.loads(json.dumps(value), parse_constant=lambda _: None)
        text = json.dumps(plain, ensure_ascii=False, indent=2)
    print_lines(*text.split("\n"))


def print_lines(*lines: str) -> None:
    """Data, unwrapped."""
    for line in lines:
        _write(_plain(line, sys.stdout))


def _write(text: str) -> None:
    """A line of data; once its reader has left, the rest goes nowhere and the verdict stays what it is."""
    try:
        print(text)
    except BrokenPipeError:
        _abandon(sys.stdout)


def print_now(text: str) -> bool:
    """Text that can go to stdout as it is, at once; False once its reader has left, and no more is wanted."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _abandon(sys.stdout)
        return False
    return True


def plain(text: str) -> str:
    """Text as stdout can have it: nothing that steers a terminal, nothing that its encoding lacks."""
    return _plain(text, sys.stdout)


def print_issues(path: str, issues: Sequence[Issue], counts: Mapping[str, int] | None = None) -> None:
    """Findings, one line each; on a terminal their colour tells the level."""
    from radcap.formats import issue_lines

    for line in issue_lines(path, issues, counts, paint=_paint):
        _write(line)


def print_findings(path: str, findings: Sequence[Finding], counts: Mapping[str, int]) -> None:
    """Findings of a dataset, one line each; a finding in no file is about the dataset at `path`."""
    from radcap.formats import issue_lines

    issues, files = [one.issue for one in findings], [one.file for one in findings]
    for line in issue_lines(path, issues, counts, files=files, paint=_paint):
        _write(line)


def say_warnings(findings: Sequence[Finding], more: str) -> None:
    """The first warnings among findings; `more` ends the sentence that counts the rest."""
    warnings = [one for one in findings if one.issue.level is Level.WARNING]
    say(*map(str, warnings[:_WARNINGS]))
    if len(warnings) > _WARNINGS:
        say(f"{counted(len(warnings) - _WARNINGS, 'more warning')}{more}")


def _paint(level: Level, text: str) -> str:
    plain = _plain(text, sys.stdout)
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return plain
    return f"\x1b[{_COLOURS[level]}m{plain}\x1b[0m"


def say(*lines: str) -> None:
    """Talk, to nobody if there is no place for it."""
    try:
        for line in lines:
            print(_plain(line, sys.stderr), file=sys.stderr)
    except OSError:
        _abandon(sys.stderr)


def _plain(text: str, stream: TextIO) -> str:
    r"""The text with `\uXXXX`, as JSON has it, for what would steer a terminal or what its encoding lacks."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else _escaped(char) for char in text)
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        text = "".join(char if char.isascii() else _escaped(char) for char in text)
    return text


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex(" ", 2)
    return "".join(f"\\u{unit}" for unit in units.split())


def print_table(table: Table) -> None:
    """A table on stdout."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(title=table.title or None, title_justify="left", box=SIMPLE_HEAD, title_style="bold")
    for name in table.columns:
        drawn.add_column(name, justify="right" if name in table.right else "left", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(_plain(cell, sys.stdout), _STYLES.get(cell, "")) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else _WIDTH_IN_FILES, highlight=False)
    console.on_broken_pipe = partial(_abandon, sys.stdout)  # by itself rich would end the program with 1
    console.print(drawn)


@contextmanager
def progress(total: int | None) -> Generator[Callable[[str, int], None] | None]:
    """A bar on stderr for each long piece of work, on a terminal only: give its name and what is done."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # by itself rich would send what is printed meanwhile to stderr, data or not
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        tasks: dict[str, TaskID] = {}

        def show(name: str, done: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done)

        yield show
