"""`radcap systems`: the catalogue of systems, and one of them as the file that `radcap train` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli import names
from radcap.cli.console import print_issues, print_json, print_lines, print_table
from radcap.cli.options import Json
from radcap.core import InputError
from radcap.core.tables import to_plain
from radcap.systems import read_system, system_row, systems, systems_of, systems_table, written

if TYPE_CHECKING:
    from radcap.systems.catalogue import System

__all__ = ["opened_system", "systems_app"]

systems_app = typer.Typer(
    help="Published systems and our own, each a TOML file that trains it.", no_args_is_help=True
)


@systems_app.command("list", epilog="Example: radcap systems list --task explain")
def list_command(
    task: Annotated[
        str | None, typer.Option("--task", metavar="TASK", help="Only these: concepts, captions or explain.")
    ] = None,
    json: Json = False,
) -> None:
    """Every system that ships inside: who made it, its published scores, the weights it begins with.

    The scores are what the team reached in its edition, not what radcap measured.
    """
    wanted = systems() if task is None else systems_of(task)
    if json:
        print_json([system_row(one) for one in wanted])
    else:
        print_table(systems_table(wanted))


@systems_app.command("show", epilog="Example: radcap systems show 2025/aueb-concepts")
def show_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE",
            help="A system of the catalogue, or a TOML file of yours.",
            autocompletion=names.systems,
        ),
    ],
    full: Annotated[
        bool, typer.Option("--full", help="Every key, not only those that differ from their defaults.")
    ] = False,
    json: Json = False,
) -> None:
    """A system as a TOML file, with the files of its members in it.

    A file that is refused has all its problems listed (exit code 1).
    """
    system = opened_system(name, json=json)
    if json:
        print_json(to_plain(system))
    else:
        print_lines(*written(system, full=full).rstrip("\n").split("\n"))


def opened_system(name: str, *, json: bool = False) -> System:
    """The system; if its file is refused, the findings are data and the error goes on."""
    try:
        return read_system(name)
    except InputError as error:
        if json:
            print_json({"issues": [one.to_json() for one in error.issues]})
        else:
            print_issues(error.path, error.issues)
        raise
