"""Surveys on disk, so that the pixels of a dataset are looked at once.

Invariant: a file holds one survey whole, under a name that changes with the ids, the images and the version
of the survey; a file that cannot be read is as good as none.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from radcap.core import cache_root
from radcap.datasets.lists import single
from radcap.datasets.survey.survey import BINS, SMALL, Survey
from radcap.formats import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset

__all__ = ["keep_survey", "read_survey", "survey_path"]

_VERSION = 1  # of what a survey holds: another one makes every kept survey old
_TEXTS = ("ids", "kinds", "refused", "why")
_NUMBERS = ("sizes_bytes", "widths", "heights", "colour", "means", "deviations", "phashes", "dhashes")
_ROWS = {  # values of a fixed number of bytes: how they are read, and their shape
    "histograms": (np.dtype(np.uint32), (BINS,)),
    "digests": (np.dtype("S32"), ()),
    "pixel_digests": (np.dtype("S32"), ()),
    "small": (np.dtype(np.uint8), (SMALL, SMALL)),
}


def survey_path(dataset: Dataset, root: Path | None = None) -> Path:
    """Where the survey of this dataset lies, or would lie; images are looked up and not read."""
    store = dataset.images
    keys: list[str] = dataset.column("image").to_pylist()
    stamps = [store.stamp(key) if key and store.has(key) else "" for key in keys]
    names = [store.name(key) if key else "" for key in keys]
    said = json.dumps([_VERSION, dataset.ids, names, stamps], separators=(",", ":"))
    return (root or cache_root()) / "surveys" / f"{hashlib.sha256(said.encode()).hexdigest()[:32]}.parquet"


def keep_survey(survey: Survey, path: Path) -> None:
    """Write a survey."""
    columns: dict[str, Any] = {name: pa.array(getattr(survey, name), pa.string()) for name in _TEXTS}
    columns |= {name: pa.array(getattr(survey, name)) for name in _NUMBERS}
    columns |= {name: _as_bytes(getattr(survey, name)) for name in _ROWS}
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        pq.write_table(pa.table(columns), temporary, compression="zstd")


def read_survey(path: Path) -> Survey | None:
    """The survey of a file; nothing where there is none, or none that can be read."""
    if not path.is_file():
        return None
    try:
        with pq.ParquetFile(path) as file:  # quicker at the first call than `read_table`, which loads more
            table = file.read()
        texts: dict[str, Any] = {name: tuple(table[name].to_pylist()) for name in _TEXTS}
        columns: dict[str, Any] = {
            name: single(table[name]).to_numpy(zero_copy_only=False) for name in _NUMBERS
        }
        rows: dict[str, Any] = {
            name: _as_rows(table[name], kind, shape) for name, (kind, shape) in _ROWS.items()
        }
        return Survey(**texts, **columns, **rows)
    except (pa.ArrowException, OSError, KeyError, ValueError):
        return None


def _as_bytes(values: NDArray[Any]) -> Any:
    """Each row as its bytes; the ending of a digest may be zeros, which NumPy would cut."""
    width = values.itemsize * int(np.prod(values.shape[1:], dtype=int))
    data = np.ascontiguousarray(values).tobytes()
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(values), [None, pa.py_buffer(data)])


def _as_rows(column: Any, kind: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    array = single(column)
    if array.type.byte_width != kind.itemsize * int(np.prod(shape, dtype=int)):
        raise ValueError(f"rows of {array.type.byte_width} bytes")
    return np.frombuffer(
        array.buffers()[1] or b"", kind, len(array) * int(np.prod(shape, dtype=int))
    ).reshape(len(array), *shape)
