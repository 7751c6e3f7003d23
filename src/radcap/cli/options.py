"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.core import Task
from radcap.metrics import ProfileName

__all__ = ["EditionName", "Json", "ProfileOption", "RunFile", "TaskOption"]

RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="The run file, plain or zip.")]
TaskOption = Annotated[Task, typer.Option("--task", help="What the run predicts.")]
EditionName = Annotated[
    str, typer.Option("--edition", help="Whose rules hold: 2017 to 2026, rocov2 or radcap.")
]
ProfileOption = Annotated[
    ProfileName,
    typer.Option("--profile", help="What the organisers' code does, or what their documents say."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]
