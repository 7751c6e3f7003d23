"""`radcap read`: what is seen in images, how sure that is, and where it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from radcap.cli.names import models
from radcap.cli.options import Device, SplitName
from radcap.cli.read_asked import Asked
from radcap.cli.read_outputs import run_read
from radcap.cli.terminal_picture import Way

__all__ = ["read_command"]


def read_command(
    images: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="IMAGE...",
            help="Image files (DICOM too), folders, patterns like 'scans/*.png', or one dataset;"
            " - reads names from stdin, one a line.",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="A model folder, zoo:captions or zoo:concepts.",
            autocompletion=models,
        ),
    ] = "zoo:captions",
    split: SplitName = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON value an image, each on a line.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write pages with maps, and all readings, there."),
    ] = None,
    report: Annotated[
        Literal["text", "html", "json", "fhir"] | None,
        typer.Option(help="Give structured reports; with --out one file an image."),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Show a page on this machine that reads what is dropped on it.")
    ] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Of that page; without it, one that is free.")
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Read what does not look like a radiology image, too.")
    ] = False,
    no_maps: Annotated[
        bool, typer.Option("--no-maps", help="Do not compute where each statement comes from: quicker.")
    ] = False,
    cases: Annotated[int, typer.Option(min=0, help="Nearest training cases to show.")] = 3,
    picture: Annotated[
        Way, typer.Option(help="Show image and map in the terminal; auto where it says that it can.")
    ] = Way.AUTO,
    device: Device = None,
) -> None:
    """Read radiology images: concepts, caption, where in the image they come from, cases alike.

    Concepts have calibrated probabilities. Each reading is printed as it is made. An image that cannot be
    read, or does not look like a radiology image, is told on stderr and the others are read; the exit code is
    then 1. Research software: not for diagnosis.
    """
    asked = Asked(
        images=tuple(images or ()),
        model=model,
        split=split,
        json=json,
        out=out,
        report=report,
        serve=serve,
        port=port,
        anyway=anyway,
        maps=not no_maps,
        cases=cases,
        picture=picture,
        device=device or "auto",
    )
    raise typer.Exit(run_read(asked))
