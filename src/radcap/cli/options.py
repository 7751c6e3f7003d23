"""Arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.core import Task
from radcap.metrics import ProfileName

__all__ = [
    "CaptionsOption",
    "CoreNlp",
    "EditionName",
    "Json",
    "MetricNames",
    "ProfileOption",
    "RunFile",
    "SpacyModel",
    "Strict",
    "TaskOption",
    "TruthSplit",
    "names_of",
]

RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="The run file, plain or zip.")]
TaskOption = Annotated[Task, typer.Option("--task", help="What the run predicts.")]
EditionName = Annotated[
    str, typer.Option("--edition", help="Whose rules hold: 2017 to 2026, rocov2 or radcap.")
]
ProfileOption = Annotated[
    ProfileName,
    typer.Option("--profile", help="What the organisers' code does, or what their documents say."),
]
MetricNames = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        metavar="NAMES",
        help="Caption metrics, parted by commas, instead of the edition's; all: every one that is ready.",
    ),
]
CaptionsOption = Annotated[
    str | None,
    typer.Option(
        "--captions",
        metavar="original|translated|generated|composed",
        help="Which captions of a dataset are true; those of two sources are scored apart.",
    ),
]
TruthSplit = Annotated[str | None, typer.Option("--split", help="Which split of a dataset is the truth.")]
SpacyModel = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        envvar="RADCAP_SPACY_MODEL",
        help="Folder of a spaCy model, for the lemmas of 2022 (documented).",
    ),
]
CoreNlp = Annotated[
    Path | None,
    typer.Option(
        "--corenlp", metavar="DIR", envvar="RADCAP_CORENLP", help="Folder of Stanford CoreNLP 3.6, for SPICE."
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse wrong packing (zip or plain) too.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value.")]


def names_of(metrics: str | None) -> list[str] | None:
    """The names in a comma-parted list.

    >>> names_of("rouge1, bleu")
    ['rouge1', 'bleu']
    """
    if metrics is None:
        return None
    return [name for part in metrics.split(",") if (name := part.strip())]
