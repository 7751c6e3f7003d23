"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.cli.names import datasets, devices, editions, models, systems
from radcap.core import Task

__all__ = [
    "DataName",
    "Device",
    "EditionName",
    "Json",
    "ModelName",
    "RunFile",
    "SplitName",
    "SystemName",
    "TaskOption",
    "TrainingData",
    "names_of",
]

RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="The run file, plain or zip.")]
TaskOption = Annotated[Task, typer.Option("--task", help="What the run predicts.")]
EditionName = Annotated[
    str,
    typer.Option(
        "--edition", help="Whose rules hold: 2017 to 2026, rocov2 or radcap.", autocompletion=editions
    ),
]
ModelName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model folder, zoo:concepts or zoo:captions.", autocompletion=models
    ),
]
SystemName = Annotated[
    str,
    typer.Argument(
        metavar="SYSTEM", help="A TOML file, or a name of radcap systems list.", autocompletion=systems
    ),
]
DataName = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="Folder of a dataset, in any layout, or radiology-open.", autocompletion=datasets
    ),
]
TrainingData = Annotated[
    str,
    # The name is written out: typer 0.27 makes it --DATA, after the metavar.
    typer.Option(
        "--data",
        metavar="DATA",
        help="Folder of a dataset, in any layout, or radiology-open.",
        autocompletion=datasets,
    ),
]
SplitName = Annotated[
    str | None, typer.Option("--split", metavar="NAME", help="Of a dataset, only this split.")
]
Device = Annotated[
    str | None,
    typer.Option("--device", metavar="NAME", help="auto, cpu, cuda or cuda:N.", autocompletion=devices),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]


def names_of(names: str | None) -> list[str] | None:
    """The names in a comma-parted list.

    >>> names_of("rouge1, bleu")
    ['rouge1', 'bleu']
    """
    if names is None:
        return None
    return [name for part in names.split(",") if (name := part.strip())]
