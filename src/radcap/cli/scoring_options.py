"""Arguments that the scoring commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.cli.names import metrics
from radcap.metrics import ProfileName

__all__ = [
    "CaptionsOption",
    "CoreNlp",
    "MetricNames",
    "ProfileOption",
    "SpacyModel",
    "Strict",
    "TruthSplit",
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
        autocompletion=metrics,
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
