"""`python -m radcap train|predict` on a machine that has torch and neither typer nor rich.

Invariant: the options are those of the full command, and do the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from radcap.cli.console import open_streams, say
from radcap.cli.modelling import run_predict, run_train
from radcap.cli.outputs import refusal
from radcap.core import InputError, Missing, RadcapError, ToolFailed

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m radcap",
        description="Train and predict. The other commands need typer and rich: pip install radcap.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train a system on a dataset")
    train.add_argument("system", metavar="SYSTEM")
    train.add_argument("--data", required=True)
    train.add_argument("--out", required=True, type=Path, metavar="MODEL")
    train.add_argument("--set", dest="changes", action="append", default=[], metavar="TABLE.KEY=VALUE")
    train.add_argument("--tensorboard", type=Path, metavar="DIR")
    predict = commands.add_parser("predict", help="write a run for the images of a dataset")
    predict.add_argument("model", metavar="MODEL")
    predict.add_argument("data", metavar="DATA")
    predict.add_argument("--out", required=True, type=Path, metavar="RUN")
    predict.add_argument("--split", metavar="NAME")
    predict.add_argument("--edition", default="2026")
    predict.add_argument("--scores", type=Path, metavar="FILE")
    predict.add_argument("--log", type=Path, metavar="FILE")
    for command in (train, predict):
        command.add_argument("--device", metavar="NAME")
        command.add_argument("--json", action="store_true")
    return parser


def main(arguments: list[str] | None = None) -> None:
    """Read the arguments, do the command, and end with its exit code."""
    asked = vars(_parser().parse_args(arguments))
    try:
        with open_streams():
            sys.exit(_done(asked.pop("command"), asked))
    except RadcapError as error:
        say(f"radcap: {error}")
        sys.exit(1 if isinstance(error, InputError) else 3 if isinstance(error, Missing | ToolFailed) else 2)
    except OSError as error:
        say(f"radcap: {refusal(error)}")
        sys.exit(2)


def _done(command: str, asked: dict[str, Any]) -> int:
    out = asked.pop("out")
    if command == "train":
        return run_train(asked.pop("system"), asked.pop("data"), out, **asked)
    return run_predict(asked.pop("model"), asked.pop("data"), out, **asked)
