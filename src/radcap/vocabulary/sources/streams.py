"""The bytes of a file a person gave: plain, gzip, the one member of a zip, or parts that make one file.

Invariant: nothing is unpacked to disk, nothing is held but a piece at a time, and a file that breaks off or
unpacks without end is a finding.
"""

from __future__ import annotations

import gzip
import zipfile
import zlib
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, cast

from radcap.formats import shown

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from radcap.vocabulary.findings import Findings

__all__ = ["Unreadable", "first_bytes", "read_chunks"]

_CHUNK = 1 << 20
_MOST = 1 << 35  # bytes of one file unpacked: the largest of a release has a quarter of it
_START = 64 * 1024  # bytes that tell what a file is
_NAMES_SHOWN = 4
_GZIP, _ZIP = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06")
_OTHERS = {
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"%PDF": "a PDF",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"PAR1": "a Parquet file",
    b"SQLite format": "an SQLite database",
}
_FAILURES = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError)


class Unreadable(Exception):
    """Why a file cannot be read, and what to do; it never leaves this package."""

    def __init__(self, why: str, todo: str = "Copy it again.") -> None:
        super().__init__(why)
        self.why = why
        self.todo = todo


def read_chunks(paths: Sequence[Path], file: str, findings: Findings) -> Iterator[bytes]:
    """The bytes of these files one after another; what stops the reading is a finding."""
    total = 0
    try:
        for path in paths:
            with _opened(path) as stream:
                while chunk := stream.read(_CHUNK):
                    total += len(chunk)
                    if total > _MOST:
                        raise Unreadable(f"it holds more than {_MOST:,} bytes", "Give the right file.")
                    yield chunk
    except Unreadable as error:
        findings.add("VOC104", file, file=file, why=error.why, todo=error.todo)
    except _FAILURES as error:
        findings.add("VOC104", file, file=file, why=_said(error), todo="Copy it again.")
    else:
        if not total and not any(path.stat().st_size for path in paths):
            findings.add("VOC103", file, file=file)


def first_bytes(path: Path) -> bytes:
    """The start of a file, unpacked; `Unreadable` says why there is none."""
    try:
        with _opened(path) as stream:
            return stream.read(_START)
    except _FAILURES as error:
        raise Unreadable(_said(error)) from None


def _said(error: Exception) -> str:
    return str(error).strip().rstrip(".") or type(error).__name__


@contextmanager
def _opened(path: Path) -> Generator[IO[bytes]]:
    if path.exists() and not path.is_file():  # reading a pipe could wait for ever
        raise Unreadable("it is no regular file", "Give a file.")
    with path.open("rb") as file:
        start = file.read(16)
        file.seek(0)
        kind = next((name for magic, name in _OTHERS.items() if start.startswith(magic)), None)
        if kind:
            raise Unreadable(f"it is {kind}", "Unpack or convert it to text.")
        if start.startswith(_GZIP):
            with gzip.open(file) as unpacked:
                yield cast("IO[bytes]", unpacked)
        elif start.startswith(_ZIP):
            with zipfile.ZipFile(file) as archive, archive.open(_member(archive)) as unpacked:
                yield unpacked
        else:
            yield file


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The only file of a zip; Macs add hidden ones."""
    files = [one for one in archive.infolist() if not one.is_dir() and not _is_hidden(one.filename)]
    if len(files) != 1:
        names = ", ".join(shown(one.filename) for one in files[:_NAMES_SHOWN]) or "none"
        raise Unreadable(f"it is a zip of {len(files):,} files ({names})", "Unpack the one with the names.")
    return files[0]


def _is_hidden(name: str) -> bool:
    return name.startswith("__MACOSX/") or name.rpartition("/")[2].startswith(".")
