"""Caption systems and pictures small enough for a board in a test, and boards of captions made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from board_samples import MARK, SIZE

from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionTrainSettings,
    DecoderSettings,
    DetectorSettings,
    GenerateSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.core import Run, Task
from radcap.datasets import Dataset
from radcap.datasets.columns import make_table
from radcap.datasets.synthetic import synthetic
from radcap.formats import write_run
from radcap.systems.board.results import TOLD, BoardFolder, Result, digest_of
from radcap.systems.board.scales import Scale, Writing
from radcap.vision.settings import BackboneSettings, ImageSettings

TINY = Scale("tiny", SIZE, 1, 2, True, 16, 1e-3, SIZE, 1, writing=Writing(1, samples=2, members=2))


@cache
def captioned() -> Dataset:
    """Train, valid and test with composed captions; every third test image has an original one too."""
    data = synthetic(48, size=SIZE, concepts=30, splits={"train": 0.5, "valid": 0.25, "test": 0.25})
    cells: list[list[dict[str, str]]] = data.column("captions").to_pylist()
    splits = data.column("split").to_pylist()
    for number, (cell, split) in enumerate(zip(cells, splits, strict=True)):
        if split == "test" and number % 3 == 0:
            cell.append({"text": f"Figure of {cell[0]['text']}", "source": "original", "language": "en"})
    place = data.table.schema.get_field_index("captions")
    column = pa.array(cells, data.table.schema.field("captions").type)
    return replace(data, table=data.table.set_column(place, "captions", column))


def writer(kind: str, name: str = "", **tables: Any) -> CaptionSystem:
    """A decoder of one layer over a frozen backbone of random weights."""
    keys = {"kind": kind, "width": 16, "layers": 1, "heads": 2, "factor": 2.0, "longest": 16}
    given: dict[str, Any] = {
        "data": CaptionDataSettings(captions="composed"),
        "image": ImageSettings(size=SIZE),
        "backbone": BackboneSettings(frozen=True),
        "tokenizer": TokenizerSettings(size=300),
        "train": CaptionTrainSettings(epochs=1, batch=16, lr=1e-2),
        "generate": GenerateSettings(method="greedy", longest=8),
    } | tables
    given["decoder"] = DecoderSettings(**(keys | dict(given.get("decoder", {}))))
    return CaptionSystem(name=name or kind, task="captions", **given)


def leaning(detector: Path, **given: Any) -> DetectorSettings:
    return DetectorSettings(str(detector), **given)


def with_captions(
    captions: Mapping[str, Sequence[str]], manual: Sequence[Sequence[str]], groups: Sequence[str] = ()
) -> Dataset:
    """A test split without images; by source the caption of each image, "" where it has none."""
    many = len(manual)
    cells = [
        [
            {"text": texts[row], "source": source, "language": "en"}
            for source, texts in captions.items()
            if texts[row]
        ]
        for row in range(many)
    ]
    columns = {
        "image_id": [f"img_{one:03d}" for one in range(many)],
        "split": ["test"] * many,
        "captions": cells,
        "cui": [list(one) for one in manual],
        "cui_manual": [list(one) for one in manual],
        "group": list(groups) or [""] * many,
    }
    return Dataset("made", make_table(columns, many))


def said(
    folder: Path,
    systems: Mapping[str, Sequence[str]],
    dataset: Dataset,
    told: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    **facts: Mapping[str, Any],
) -> BoardFolder:
    """Results and runs as if the systems had been trained; `told` are the captions by what was told."""
    board = BoardFolder(folder)
    for name, texts in systems.items():
        _write(board.run(name), texts, dataset)
        given: dict[str, Any] = {key: some[name] for key, some in facts.items() if name in some}
        if told and name in told:
            for what in TOLD:
                _write(board.told(what, name), told[name][what], dataset)
            given["told_sha256"] = {what: digest_of(board.told(what, name)) for what in TOLD}
        board.write(Result(name, MARK, "tiny", train_s=60.0, device="cpu", **given))
    return board


def _write(path: Path, texts: Sequence[str], dataset: Dataset) -> None:
    write_run(Run(Task.CAPTIONS, dict(zip(dataset.ids, texts, strict=True)), path.stem), path)
