"""Arrays in a safetensors file, opened without reading them.

Invariant: the library checks the whole header before a byte of it is believed; arrays are read-only views of
the file.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radcap.core import InputError, Missing

__all__ = ["open_tensors", "write_tensors"]

_TYPES = {"F32": "<f4", "F16": "<f2", "I8": "<i1", "I32": "<i4", "I64": "<i8"}


def write_tensors(arrays: dict[str, NDArray[Any]], path: Path) -> None:
    """Under a temporary name, then renamed."""
    save_file: Any = import_module("safetensors.numpy").save_file
    hidden = path.with_name(f"{path.name}.part")
    save_file({name: np.ascontiguousarray(values) for name, values in arrays.items()}, hidden)
    hidden.replace(path)


def open_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of the file, mapped."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy"):
            pass
        with path.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            header = json.loads(stream.read(size))
    except FileNotFoundError as error:
        raise Missing(str(path), "An index is a folder with this file.", "Build it first.") from error
    except (SafetensorError, OSError) as error:
        raise InputError(
            f"{path} is no safetensors file: {error}. Build it again.", path=str(path)
        ) from error
    header.pop("__metadata__", None)
    unknown = sorted({one["dtype"] for one in header.values()} - set(_TYPES))
    if unknown:
        raise InputError(
            f"{path} holds numbers of type {', '.join(unknown)}. Build it again.", path=str(path)
        )
    return {name: _mapped(path, 8 + size, one) for name, one in header.items()}


def _mapped(path: Path, start: int, about: dict[str, Any]) -> NDArray[Any]:
    shape, kind = tuple(about["shape"]), np.dtype(_TYPES[about["dtype"]])
    if not np.prod(shape):
        return np.zeros(shape, kind)
    return np.memmap(path, kind, "r", start + about["data_offsets"][0], shape).view(np.ndarray)
