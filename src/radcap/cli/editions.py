"""`radcap editions`: what each edition measures, and where code and documents disagree."""

from __future__ import annotations

from typing import Annotated

import typer

from radcap.cli.console import print_json, print_table
from radcap.cli.names import editions
from radcap.cli.options import Json
from radcap.core import Task, UsageError
from radcap.metrics import BOARDS, EDITIONS, board, differences, edition
from radcap.metrics.edition_tables import (
    board_table,
    difference_table,
    edition_table,
    editions_table,
    file_table,
)

__all__ = ["editions_command"]


def editions_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[EDITION]", help="2017 to 2026, rocov2 or radcap.", autocompletion=editions),
    ] = None,
    published: Annotated[
        Task | None,
        typer.Option("--board", metavar="TASK", help="Show the published board of concepts or captions."),
    ] = None,
    json: Json = False,
) -> None:
    """What an edition measures: scores, files, and where the code and the documents disagree.

    Without an edition: all of them, a line each.
    """
    if name is None and published is not None:
        raise UsageError(f"A board belongs to an edition. Name one of {', '.join(BOARDS)}.")
    if name is None:
        _show_all(json=json)
    elif published is not None:
        _show_board(name, published, json=json)
    else:
        _show_one(name, json=json)


def _show_all(*, json: bool) -> None:
    if json:
        print_json([one.to_json() for one in EDITIONS.values()])
    else:
        print_table(editions_table())


def _show_board(name: str, task: Task, *, json: bool) -> None:
    if json:
        print_json([row.to_json() for row in board(name, task)])
    else:
        print_table(board_table(name, task))


def _show_one(name: str, *, json: bool) -> None:
    one = edition(name)
    if json:
        print_json({**one.to_json(), "differences": [entry.to_json() for entry in differences(name)]})
        return
    print_table(edition_table(one))
    print_table(file_table(one))
    if differences(name):
        print_table(difference_table(name))
