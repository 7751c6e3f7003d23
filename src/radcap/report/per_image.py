"""Per-image scores as a file: Parquet, or CSV where the name ends so.

Invariant: one row per image that any score counts, one column per metric; null where a metric leaves it out.
"""

from __future__ import annotations

import csv
from importlib import import_module
from typing import TYPE_CHECKING, Any

from radcap.core import Missing, Score, UsageError
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["write_per_image"]


def write_per_image(scores: Sequence[Score], path: Path) -> Path:
    """Write the scores that have per-image values; floats keep every digit."""
    kept = [score for score in scores if score.values]
    ids = list(dict.fromkeys(image_id for score in kept for image_id in score.ids))
    columns = {score.name: dict(zip(score.ids, score.values, strict=True)) for score in kept}
    writers = {".parquet": _write_parquet, ".csv": _write_csv}
    if path.suffix.lower() not in writers:
        raise UsageError(
            f"Per-image scores cannot go to {path.name}. Name a file ending in .parquet or .csv."
        )
    with replacing(path) as temporary:
        writers[path.suffix.lower()](temporary, ids, columns)
    return path


def _write_csv(path: Path, ids: list[str], columns: dict[str, dict[str, float]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *columns])
        writer.writerows([one, *(column.get(one, "") for column in columns.values())] for one in ids)


def _write_parquet(path: Path, ids: list[str], columns: dict[str, dict[str, float]]) -> None:
    try:
        pyarrow: Any = import_module("pyarrow")  # slow to load, and who writes CSV needs none
        parquet: Any = import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise Missing(
            "pyarrow", "It writes Parquet.", "Run: pip install pyarrow, or name a .csv file."
        ) from None
    arrays = {"id": pyarrow.array(ids, pyarrow.string())}
    for name, column in columns.items():
        arrays[name] = pyarrow.array([column.get(one) for one in ids], pyarrow.float64())
    parquet.write_table(pyarrow.table(arrays), path)
