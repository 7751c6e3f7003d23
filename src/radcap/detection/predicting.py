"""Ask a model about a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.datasets import Dataset
    from radcap.detection.models import Answers, Model

__all__ = ["opened_model", "predict"]


def predict(
    model: Model | str | Path,
    data: Dataset | str | Path,
    *,
    split: str | None = None,
    device: str = "auto",
    progress: Callable[[str, int], None] | None = None,
) -> Answers:
    """What a model (an opened one, a folder, or `zoo:NAME`) says about the images of a dataset."""
    from radcap.datasets import Dataset, load_dataset

    opened = opened_model(model, device) if isinstance(model, str | Path) else model
    dataset = data if isinstance(data, Dataset) else load_dataset(data)
    return opened.answers(dataset if split is None else dataset.split(split), progress)


def opened_model(model: str | Path, device: str = "auto") -> Model:
    """A model by `zoo:NAME` or by its folder; where torch is missing, how to get it."""
    try:
        from radcap.detection.models import open_model
    except ModuleNotFoundError as error:
        raise Missing(str(error.name), "A model needs it.", "Run: pip install 'radcap[read]'") from error
    return open_model(model, device)
