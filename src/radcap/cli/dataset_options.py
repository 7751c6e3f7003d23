"""Arguments that the dataset commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.cli.options import DataName as DataPath

__all__ = [
    "CaptionSources",
    "ConceptsOption",
    "DataPath",
    "DirectionOption",
    "MinConcepts",
    "Pixels",
    "SemanticTypes",
    "SplitOption",
    "Workers",
]

SplitOption = Annotated[str | None, typer.Option("--split", help="Only this split.")]
CaptionSources = Annotated[
    str,
    typer.Option(
        "--captions",
        metavar="all|original|translated|generated|composed",
        help="Captions to keep, by who wrote them.",
    ),
]
ConceptsOption = Annotated[
    str, typer.Option("--concepts", metavar="all|automatic|manual", help="Which labels count.")
]
DirectionOption = Annotated[
    bool, typer.Option("--direction/--no-direction", help="Keep the X-ray view labels, which are weakest.")
]
MinConcepts = Annotated[int, typer.Option("--min-concepts", min=0, help="Leave images with fewer out.")]
Pixels = Annotated[
    bool, typer.Option("--pixels/--no-pixels", help="Look at the images too; the labels alone are quick.")
]
SemanticTypes = Annotated[
    Path | None,
    typer.Option(
        "--semantic-types",
        metavar="FILE",
        help="Types: a table CUI,TUI or MRSTY.RRF; else the free vocabulary.",
    ),
]
Workers = Annotated[int, typer.Option("--workers", min=0, help="Processes; 0: one for each core.")]
