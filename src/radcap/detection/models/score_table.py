"""Every probability a model gave, as a Parquet file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from radcap.core import UsageError
from radcap.formats import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.detection.models.answers import Answers

__all__ = ["write_scores"]


def write_scores(answers: Answers, path: Path) -> None:
    """One row an image: its id, the probability of being a radiology image, and one column for each label."""
    if answers.probabilities is None:
        raise UsageError(
            "The run is written. This model decides without scores, so --scores has none to write."
        )
    columns: dict[str, Any] = {"image_id": list(answers.ids)}
    if answers.radiology is not None:
        columns["radiology"] = answers.radiology
    columns |= {cui: answers.probabilities[:, place] for place, cui in enumerate(answers.labels)}
    with replacing(path) as part:
        pq.write_table(pa.table(columns), part)
