"""Ask a model about a dataset, whatever its task."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from radcap.core import Missing
from radcap.core.dotted import load_dotted
from radcap.zoo import find

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.captioning.models import CaptionAnswers, Captioner
    from radcap.datasets import Dataset
    from radcap.detection.models import Answers, Model

__all__ = ["opened_model", "predict", "task_of"]

_OPENERS = {
    "concepts": "radcap.detection.models:open_model",
    "captions": "radcap.captioning.models:open_captioner",
}


def predict(
    model: Model | Captioner | str | Path,
    data: Dataset | str | Path,
    *,
    split: str | None = None,
    device: str = "auto",
    progress: Callable[[str, int], None] | None = None,
) -> Answers | CaptionAnswers:
    """What a model (an opened one, a folder, or `zoo:NAME`) says about the images of a dataset."""
    from radcap.datasets import Dataset, load_dataset

    opened = opened_model(model, device) if isinstance(model, str | Path) else model
    dataset = data if isinstance(data, Dataset) else load_dataset(data)
    return opened.answers(dataset if split is None else dataset.split(split), progress)


def opened_model(model: str | Path, device: str = "auto") -> Model | Captioner:
    """A model by `zoo:NAME` or by its folder; where torch is missing, how to get it."""
    opener = _OPENERS[task_of(model)]
    try:
        return load_dotted(opener)(model, device)
    except ModuleNotFoundError as error:
        raise Missing(str(error.name), "A model needs it.", "Run: pip install 'radcap[read]'") from error


def task_of(model: str | Path) -> str:
    """What a model was made for, as its card says, or its settings where the card is damaged.

    One of which neither can be read is refused by the opening.
    """
    folder = find(model)
    told = _task(folder / "card.json", json.loads) or _task(folder / "system.toml", tomllib.loads)
    return told or "concepts"


def _task(path: Path, read: Callable[[str], Any]) -> str | None:
    """The task that a file names, if it is one."""
    try:
        told = read(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    task = cast("dict[str, object]", told).get("task") if isinstance(told, dict) else None
    return task if isinstance(task, str) and task in _OPENERS else None
