"""The command `radcap`: wires commands to functions and errors to exit codes; no logic of its own."""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated

import typer

from radcap.cli.console import open_streams, say
from radcap.cli.lazy_group import LazyGroup
from radcap.cli.outputs import refusal
from radcap.core import VERSION, InputError, Missing, RadcapError, ToolFailed

__all__ = ["app", "main"]

app = typer.Typer(
    cls=LazyGroup,  # it knows the commands: radcap.cli.command_table
    help="Reads radiology images; opens, checks and converts their datasets; scores and compares runs.",
    epilog="Example: radcap demo --out demo-out",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(VERSION)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def exit_code(error: RadcapError) -> int:
    """1 findings, 2 usage, 3 environment."""
    if isinstance(error, (Missing, ToolFailed)):
        return 3
    return 1 if isinstance(error, InputError) else 2


def main() -> None:
    """Run the command line; an error of ours is one sentence on stderr and an exit code."""
    gc.set_threshold(100_000)  # many small values, no cycles, a short life: looking for cycles costs a tenth
    # Threads of torch that wait for each other spin by default; where cores are shared they take them from
    # the thread they wait for, and work is several times slower. It is read when torch is loaded.
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    try:
        with open_streams():
            _complete()
            app()
    except RadcapError as error:
        say(f"radcap: {error}")
        sys.exit(exit_code(error))
    except OSError as error:
        say(f"radcap: {refusal(error)}")
        sys.exit(2)


def _complete() -> None:
    """A shell that asks what could be typed next is answered, and nothing is run."""
    line = os.environ.get("RADCAP_COMPLETE_LINE")
    if line is None:
        return
    from radcap.cli.completion import candidates

    for one in candidates(app, line):
        print(one)
    sys.exit(0)
