"""A file of arrays that is used where it lies: mapped into memory, shared by processes, nothing parsed.

The layout is that of safetensors: the length of a JSON header, the header, the arrays one by one.
Invariant: a file whose header does not fit its bytes is refused, so no array reaches over its end.
"""

from __future__ import annotations

import json
import mmap
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from radcap.core import InputError
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Array", "open_arrays", "places_of", "write_arrays"]

Array: TypeAlias = "NDArray[Any]"

_TYPES = {"U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64}
_NAMES = {np.dtype(kind): name for name, kind in _TYPES.items()}
_LENGTH = 8  # bytes that hold the length of the header
_LARGEST_HEADER = 1 << 24
_NOTES = "__metadata__"


def write_arrays(path: Path, arrays: Mapping[str, Array], notes: Mapping[str, str]) -> None:
    """Write flat arrays of unsigned numbers and notes about them."""
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))  # so that each is aligned
    header: dict[str, object] = {_NOTES: dict(notes)}
    offset = 0
    for name in order:
        one = arrays[name]
        header[name] = {
            "dtype": _NAMES[one.dtype],
            "shape": [len(one)],
            "data_offsets": [offset, offset + one.nbytes],
        }
        offset += one.nbytes
    said = json.dumps(header).encode()
    said += b" " * (-len(said) % _LENGTH)
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(len(said).to_bytes(_LENGTH, "little") + said)
        for name in order:
            file.write(np.ascontiguousarray(arrays[name]).data)


def open_arrays(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """The arrays of a file, read only, and the notes."""
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # an empty file cannot be mapped
        raise _refusal(path, "it is empty") from None
    length = int.from_bytes(data[:_LENGTH], "little")
    if not 0 < length <= min(_LARGEST_HEADER, len(data) - _LENGTH):
        raise _refusal(path, "it does not start as one")
    try:
        header = json.loads(data[_LENGTH : _LENGTH + length])
        notes = {str(key): str(value) for key, value in header.pop(_NOTES, {}).items()}
        return {name: _array(data, _LENGTH + length, entry) for name, entry in header.items()}, notes
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _refusal(path, "its header does not fit its bytes") from None


def _array(data: mmap.mmap, start: int, entry: dict[str, Any]) -> Array:
    kind = np.dtype(_TYPES[entry["dtype"]])
    first, last = cast("list[int]", entry["data_offsets"])
    count, rest = divmod(last - first, kind.itemsize)
    if not 0 <= first <= last <= len(data) - start or rest or entry["shape"] != [count]:
        raise ValueError(entry)
    return np.frombuffer(data, kind, count, start + first)


def places_of(values: Array, value: int) -> tuple[int, int]:
    """The first place of a value in a sorted array, and the one behind its last."""
    wanted = np.array(value, values.dtype)  # for a number of another type numpy would copy the whole array
    return int(values.searchsorted(wanted)), int(values.searchsorted(wanted, side="right"))


def _refusal(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} is no compiled vocabulary: {why}. Compile it again with `radcap vocab build`.",
        path=str(path),
    )
