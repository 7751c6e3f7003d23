"""`radcap train` and `radcap predict`: from a system file to a model, and from a model to a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.cli.modelling import run_predict, run_train
from radcap.cli.options import DataName, Device, Json, ModelName, SplitName, SystemName, TrainingData

__all__ = ["predict_command", "train_command"]


def train_command(
    system: SystemName,
    data: TrainingData,
    out: Annotated[Path, typer.Option(metavar="MODEL", help="The folder of the model.")],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TABLE.KEY=VALUE", help="Change a setting; may be given again."),
    ] = None,
    device: Device = None,
    tensorboard: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the curves for TensorBoard too.")
    ] = None,
    json: Json = False,
) -> None:
    """Train a system on a dataset; what was begun in the folder before is gone on with.

    Choices are made on the split valid, thresholds and calibration included, and reported by cross-fitting. A
    killed training goes on where it stopped when the same command is given again. Several GPUs:
    torchrun --nproc-per-node 4 -m radcap train ...
    """
    code = run_train(
        system, data, out, changes=changes or (), device=device, tensorboard=tensorboard, json=json
    )
    raise typer.Exit(code)


def predict_command(
    model: ModelName,
    data: DataName,
    out: Annotated[Path, typer.Option(metavar="RUN", help="The run file, plain or zip.")],
    split: SplitName = None,
    edition: Annotated[str, typer.Option(help="Whose dialect the run is written in.")] = "2026",
    scores: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every probability too (.parquet).")
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Captions: write how each came about too (.jsonl)."),
    ] = None,
    device: Device = None,
    json: Json = False,
) -> None:
    """Write a run for the images of a dataset, and check it as the platform would.

    An image that cannot be read is named; its row is empty (concepts) or says nothing of it (captions).
    Research software: not for diagnosis.
    """
    code = run_predict(
        model,
        data,
        out,
        split=split,
        edition=edition,
        scores=scores,
        log=log,
        device=device,
        json=json,
    )
    raise typer.Exit(code)
