"""`radcap systems`: the catalogue of systems, and one of them as the file that `radcap train` takes."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from radcap.cli import names
from radcap.cli.console import print_issues, print_json, print_lines, print_table, say
from radcap.cli.options import Json
from radcap.core import InputError
from radcap.core.tables import to_plain
from radcap.systems import (
    captions_table,
    concepts_table,
    read_system,
    system_row,
    systems,
    systems_of,
    systems_table,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from radcap.captioning.system import CaptionSystem
    from radcap.detection.system import ConceptSystem
    from radcap.systems.catalogue import System

__all__ = ["findings_told", "opened_system", "systems_app"]

systems_app = typer.Typer(
    help="Published systems and our own, each a TOML file that trains it.", no_args_is_help=True
)


_KNOWN = "known: how much is public. "
_STATUS = (
    " on the bundled test images, with stand-ins for weights that cannot ship; * stands on a model that ships"
    " inside. status: for training as published."
)
_HERE = {  # by task: what the columns of its table mean
    "concepts": f"{_KNOWN}published: F1 of the edition, on its own data. here: F1{_STATUS}",
    "captions": f"{_KNOWN}published: what the edition ranked by, on its own data: BLEU in 2017 and 2022,"
    f" BERTScore in 2023, the overall score since 2025. here: ROUGE-1 of composed captions{_STATUS}",
}


@systems_app.command("list", epilog="Example: radcap systems list --task explain")
def list_command(
    task: Annotated[
        str | None, typer.Option("--task", metavar="TASK", help="Only these: concepts, captions or explain.")
    ] = None,
    json: Json = False,
) -> None:
    """Every system that ships inside: who made it, its published scores, the weights it begins with.

    Published scores are what the team reached in its edition. For --task concepts or captions, "here" is the
    F1 or the ROUGE-1 that radcap measured on the bundled test split, with stand-ins where published weights
    cannot ship.
    """
    wanted = systems() if task is None else systems_of(task)
    if json:
        print_json([system_row(one) for one in wanted])
    elif task == "concepts":
        print_table(concepts_table(cast("Sequence[ConceptSystem]", wanted)))
        say(_HERE[task])
    elif task == "captions":
        print_table(captions_table(cast("Sequence[CaptionSystem]", wanted)))
        say(_HERE[task])
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


@systems_app.command(
    "reproduce", epilog="Example: radcap systems reproduce --only radcap/quick-concepts --out board"
)
def reproduce_command(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the board; gone on with.")],
    task: Annotated[str, typer.Option("--task", metavar="TASK", help="concepts or captions.")] = "concepts",
    data: Annotated[
        str, typer.Option("--data", metavar="DATA", help="A dataset with train, valid and test.")
    ] = "radiology-open",
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="small (CPU), large (GPU) or published; DIR's, or by what is here."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME|FILE", help="Only these; a file of yours may be among them."),
    ] = None,
    add: Annotated[
        list[str] | None, typer.Option("--add", metavar="FILE", help="This file besides, as often as given.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", help="Stop after so long; the same command goes on.", min=0.0)
    ] = None,
    jobs: Annotated[
        int,
        typer.Option("--jobs", help="How many are trained at a time, say 8 on a GPU.", min=1),
    ] = 1,
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda or cuda:N.")] = "auto",
    keep: Annotated[
        bool, typer.Option("--keep-models", help="Keep the trained models in DIR/models.")
    ] = False,
    json: Json = False,
) -> None:
    """Train all systems of a task on one dataset, score them on its test split, and write the board.

    Writes DIR/board.html, board.csv and board.json, with runs and results beside them. What is done is not
    done again. Exit code 1: the time was over before all were trained, or one that you named could not be.
    """
    from radcap.cli.reproducing import Asked, run_reproduce

    asked = Asked(
        out, task, data, scale, tuple(only or ()), tuple(add or ()), minutes, jobs, device, keep, json
    )
    raise typer.Exit(run_reproduce(asked))


def opened_system(name: str, *, json: bool = False) -> System:
    """The system, whose findings are told."""
    with findings_told(json=json):
        return read_system(name)


@contextmanager
def findings_told(*, json: bool) -> Generator[None]:
    """A block that reads system files; the findings of a refused one are data, and the error goes on."""
    try:
        yield
    except InputError as error:
        if json:
            print_json({"issues": [one.to_json() for one in error.issues]})
        else:
            print_issues(error.path, error.issues)
        raise
