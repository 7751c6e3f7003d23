"""The lines of a release file as Arrow arrays, a few megabytes at a time.

Invariant: every line of the file comes with its number, or is a finding with it: a line that is no UTF-8 or
without end in sight is left out, all others are passed on as they are, line end included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from radcap.formats import shown
from radcap.formats.lines import UTF8_MARK, UTF16_MARKS
from radcap.vocabulary.sources.streams import read_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.vocabulary.findings import Findings

__all__ = ["LINES", "read_batches"]

LINES = pa.schema({"line": pa.uint32(), "text": pa.large_string()})
_BATCH = 8 << 20  # bytes
_LONGEST = 1 << 20  # bytes of a line: names have at most some thousand
_LF = ord("\n")
_SHOWN = 40  # letters of a line that breaks off


def read_batches(paths: Sequence[Path], file: str, findings: Findings) -> Iterator[Any]:
    """Record batches of numbered lines."""
    first = 1
    for block in _blocks(read_chunks(paths, file, findings)):
        if first == 1 and block.startswith(UTF16_MARKS):
            findings.add("VOC106", file, file=file)
            return
        data = block.removeprefix(UTF8_MARK) if first == 1 else block
        if not data:
            return
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == _LF) + 1
        if not data.endswith(b"\n"):
            text = data[int(ends[-1]) if len(ends) else 0 :].decode("utf-8", "replace")
            findings.add("VOC110", file, first + len(ends), text=shown(text[-_SHOWN:]))
            ends = np.append(ends, len(data))
        yield _batch(data, ends, first, file, findings)
        first += len(ends)


def _blocks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Whole lines, about `_BATCH` bytes at a time; the last may lack its end."""
    held: list[bytes] = []
    size = tail = 0  # bytes held, and those of them behind the last line end
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if not cut and tail > _LONGEST:
            continue  # the line is too long already, so its rest is not held
        held.append(chunk)
        size += len(chunk)
        tail = len(chunk) - cut if cut else tail + len(chunk)
        if size >= _BATCH and cut:
            held[-1] = chunk[:cut]
            yield b"".join(held)
            held, size = [chunk[cut:]], tail
    rest = b"".join(held)
    if rest:
        yield rest


def _batch(data: bytes, ends: NDArray[np.int64], first: int, file: str, findings: Findings) -> Any:
    starts = np.concatenate(([0], ends[:-1]))
    numbers = np.arange(first, first + len(ends), dtype=np.uint32)
    bad = _broken(data, starts, ends)
    if len(bad):
        for place in bad.tolist():
            _tell(data[starts[place] : ends[place]], first + place, file, findings)
        return _without(data, starts, ends, numbers, bad)
    offsets = np.append(starts, len(data)).astype(np.int64)
    texts = pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(data))
    return pa.record_batch([pa.array(numbers), texts], schema=LINES)


def _broken(data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of lines that cannot be passed on."""
    long = ends - starts > _LONGEST
    if data.isascii() or _is_utf8(data):
        return np.flatnonzero(long)
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    return np.flatnonzero(long | [not _is_utf8(data[start:end]) for start, end in pairs])


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _tell(line: bytes, number: int, file: str, findings: Findings) -> None:
    if len(line) > _LONGEST:
        findings.add("VOC115", file, number, limit=_LONGEST)
        return
    try:
        line.decode()
    except UnicodeDecodeError as error:
        findings.add("VOC202", file, number, error.start + 1, byte=f"0x{line[error.start]:02X}")


def _without(
    data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], numbers: NDArray[np.uint32], bad: Any
) -> Any:
    kept = np.ones(len(ends), np.bool_)
    kept[bad] = False
    pairs = zip(starts[kept].tolist(), ends[kept].tolist(), strict=True)
    texts = pa.array([data[start:end].decode() for start, end in pairs], pa.large_string())
    return pa.record_batch([pa.array(numbers[kept]), texts], schema=LINES)
