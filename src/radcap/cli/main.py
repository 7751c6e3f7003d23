"""The command `radcap`: wires commands to functions and errors to exit codes; no logic of its own."""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

from radcap.cli.compare import compare_command
from radcap.cli.console import open_streams, say
from radcap.cli.dataset_app import dataset_app
from radcap.cli.demo import demo_command
from radcap.cli.editions import editions_command
from radcap.cli.explain import explain_command
from radcap.cli.metrics import metrics_app
from radcap.cli.models import models_app
from radcap.cli.score import score_app
from radcap.cli.systems import systems_app
from radcap.cli.train import predict_command, train_command
from radcap.cli.validate import validate_command
from radcap.cli.vocab_app import vocab_app
from radcap.core import VERSION, InputError, Missing, RadcapError, ToolFailed

__all__ = ["app", "main"]

app = typer.Typer(
    help="Opens, checks and converts radiology caption datasets; checks, scores and compares runs.",
    epilog="Example: radcap demo --out demo-out",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("demo", epilog="Example: radcap demo --out demo-out")(demo_command)
app.command("validate", epilog="Example: radcap validate run.csv --task concepts --truth truth")(
    validate_command
)
app.command("editions", epilog="Example: radcap editions 2025")(editions_command)
app.command("compare", epilog="Example: radcap compare a.csv b.csv --truth truth --task concepts")(
    compare_command
)
app.command("train", epilog="Example: radcap train radcap/quick-concepts --data radiology-open --out mine")(
    train_command
)
app.command(
    "predict", epilog="Example: radcap predict zoo:concepts radiology-open --split test --out run.csv"
)(predict_command)
app.command("explain", epilog="Example: radcap explain zoo:captions radiology-open --pick 2 --out explained")(
    explain_command
)
app.add_typer(dataset_app, name="dataset", epilog="Example: radcap dataset info radiology-open")
app.add_typer(metrics_app, name="metrics", epilog="Example: radcap metrics status")
app.add_typer(models_app, name="models", epilog="Example: radcap models list")
app.add_typer(score_app, name="score", epilog="Example: radcap score concepts run.csv truth")
app.add_typer(systems_app, name="systems", epilog="Example: radcap systems list")
app.add_typer(vocab_app, name="vocab", epilog="Example: radcap vocab search pleural effusion")


def _version(wanted: bool) -> None:
    if wanted:
        print(VERSION)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def exit_code(error: RadcapError) -> int:
    """1 findings, 2 usage, 3 environment."""
    if isinstance(error, (Missing, ToolFailed)):
        return 3
    return 1 if isinstance(error, InputError) else 2


def main() -> None:
    """Run the command line; an error of ours is one sentence on stderr and an exit code."""
    gc.set_threshold(100_000)  # many small values, no cycles, a short life: looking for cycles costs a tenth
    try:
        with open_streams():
            app()
    except RadcapError as error:
        say(f"radcap: {error}")
        sys.exit(exit_code(error))
    except OSError as error:
        why = f"{error.filename or 'The output'} cannot be used: {error.strerror or error}"
        say(f"radcap: {why}. Check its path and rights.")
        sys.exit(2)
