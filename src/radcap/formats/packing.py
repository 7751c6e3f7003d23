"""From a path to a stream of bytes: a plain file, or the one member of a zip, never unpacked to disk.

Invariant: no more is read than `Limits` allows, whatever sizes the file claims for itself.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING

from radcap.core import Level
from radcap.formats.findings import named, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from radcap.formats.findings import Findings
    from radcap.formats.limits import Limits

__all__ = ["SUBMISSION", "is_zip", "read_chunks"]

SUBMISSION = "submission.csv"

_CHUNK = 256 * 1024
_RATIO_FROM = 4 * 1024 * 1024  # below this an expansion is harmless, however steep
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")  # a member, or the end of an empty archive
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})  # the others unpack without a bound
_ENCRYPTED = 0x1
_NAMES_SHOWN = 5
_KINDS = {
    b"\x1f\x8b": "a gzip file",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"%PDF": "a PDF",
}
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # a compression method zipfile does not know
    RuntimeError,  # an encrypted member
    ValueError,
    OverflowError,  # a place beyond every file
    struct.error,
    OSError,
)


def is_zip(path: Path) -> bool:
    """Whether the content, not the name, says zip."""
    with path.open("rb") as file:
        return file.read(4) in _ZIP_STARTS


def read_chunks(path: Path, findings: Findings, limits: Limits) -> Iterator[bytes]:
    """The bytes of a run in pieces. Nothing comes from a file that cannot be read; the findings say why."""
    if not path.is_file():  # a folder, a pipe and a device are no run files either
        findings.add("RUN101", 0, 0, path=shown(str(path)))
    elif path.stat().st_size == 0:
        findings.add("RUN102", 0, 0, file=named(path.name), what="0 bytes")
    else:
        yield from _read_zip(path, findings, limits) if is_zip(path) else _read_plain(path, findings, limits)


def _read_plain(path: Path, findings: Findings, limits: Limits) -> Iterator[bytes]:
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        kind = next((name for magic, name in _KINDS.items() if start.startswith(magic)), None)
        if findings.dialect.zipped:
            _note_packing(path, kind or "a plain file", findings)
        elif kind:
            _note_packing(path, kind, findings)
        yield from _bounded(file, findings, limits)


def _note_packing(path: Path, kind: str, findings: Findings) -> None:
    if findings.dialect.zipped:
        wanted, todo = "a zip with submission.csv", "Pack submission.csv alone in a zip."
    else:
        wanted, todo = "a plain text file", "Unpack it."
    findings.add("RUN103", 0, 0, file=named(path.name), kind=kind, wanted=wanted, todo=todo)


def _bounded(
    stream: IO[bytes], findings: Findings, limits: Limits, packed: int | None = None
) -> Iterator[bytes]:
    """Pieces of a stream until it ends or a limit is passed; `packed` is the size inside a zip."""
    total = 0
    while chunk := stream.read(_CHUNK):
        total += len(chunk)
        if total > limits.file_bytes:
            size = f"More than {limits.file_bytes:,} bytes"
            findings.add("RUN113", 0, 0, size=size, limit=f"{limits.file_bytes:,} bytes for this task")
            return
        if packed is not None and total > max(_RATIO_FROM, packed * limits.zip_ratio):
            reason = f"expands more than {limits.zip_ratio} times"
            findings.add("RUN114", 0, 0, name=shown(getattr(stream, "name", "")), reason=reason)
            return
        yield chunk


class _Guarded:
    """A file that hands out no huge block at once: `zipfile` reads its whole directory in one."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file = file
        self._most = most
        self.seek, self.tell, self.seekable, self.close = file.seek, file.tell, file.seekable, file.close

    def read(self, size: int = -1) -> bytes:
        if size > self._most:
            raise zipfile.BadZipFile(f"its directory claims {size:,} bytes")
        return self._file.read(size)


def _read_zip(path: Path, findings: Findings, limits: Limits) -> Iterator[bytes]:
    if findings.dialect.zipped is False:
        _note_packing(path, "a zip", findings)
    with path.open("rb") as file:
        try:
            guarded = _Guarded(file, limits.zip_directory_bytes)
            with zipfile.ZipFile(guarded) as archive:  # pyright: ignore[reportArgumentType]
                member = _choose(archive.infolist(), findings, limits)
                if member is not None:
                    packed = min(member.compress_size, path.stat().st_size)  # the first may be a lie
                    with archive.open(member) as stream:
                        yield from _bounded(stream, findings, limits, packed)
        except _ZIP_ERRORS as error:
            reason = f"cannot be read ({shown(str(error))})"
            findings.add("RUN114", 0, 0, name=named(path.name), reason=reason)


def _choose(members: list[zipfile.ZipInfo], findings: Findings, limits: Limits) -> zipfile.ZipInfo | None:
    """The member that is the run: the only CSV file there is, else the only text file."""
    if len(members) > limits.zip_members:
        size = f"A zip of {len(members):,} members"
        findings.add("RUN113", 0, 0, size=size, limit=f"{limits.zip_members} members")
        return None
    regular = [member for member in members if not member.filename.endswith("/")]
    names = ", ".join(shown(member.filename) for member in regular[:_NAMES_SHOWN]) or "no file"
    if [member.filename for member in members] != [SUBMISSION]:
        texts = [member for member in regular if _is_table(member.filename)]
        tables = [member for member in texts if member.filename.lower().endswith(".csv")] or texts
        if len(tables) != 1:
            findings.add("RUN104", 0, 0, level=Level.ERROR, names=names)  # it is open which one is the run
            return None
        findings.add("RUN104", 0, 0, names=names)
        regular = tables
    reason = _unsafe(regular[0])
    if reason:
        findings.add("RUN114", 0, 0, name=shown(regular[0].filename), reason=reason)
        return None
    return regular[0]


def _is_table(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = path.name.startswith(".") or "__MACOSX" in path.parts
    return bool(path.name) and not hidden and path.suffix.lower() in {".csv", ".tsv", ".txt", ""}


def _unsafe(member: zipfile.ZipInfo) -> str | None:
    name = member.filename.replace("\\", "/")
    mode = member.external_attr >> 16
    if name.startswith("/") or ".." in name.split("/") or ":" in name:
        return "points outside the archive"
    if not member.orig_filename.isprintable():  # zipfile cuts a name at NUL
        return "has control characters in its name"
    if mode and stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
        return "is no regular file"
    if member.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if member.compress_type not in _METHODS:
        return "is packed by a method other than deflate"
    return None
