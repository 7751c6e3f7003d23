"""Images that are members of tar files. Nothing is ever unpacked.

Invariant: a key says in which tar the bytes lie and where, so that reading needs no table of contents.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from mmap import ACCESS_READ, mmap
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from radcap.datasets.findings import Findings
from radcap.datasets.refusal import missing_image, refuse
from radcap.datasets.stores.entries import is_file
from radcap.datasets.stores.file_names import is_image
from radcap.datasets.stores.tar_headers import BrokenTar, Member, walk
from radcap.formats import shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["TarImages", "read_members"]

_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")
_KINDS = {
    "1": "a link to another member",
    "2": "a symbolic link",
    "3": "a device",
    "4": "a device",
    "6": "a pipe",
    "S": "a sparse file",
}
_PLAIN, _FOLDER = "07", "5"


@dataclass(frozen=True)
class TarImages:
    """Members of one or several tar files by the key that `key` makes."""

    paths: tuple[Path, ...]

    def __reduce__(self) -> tuple[type[TarImages], tuple[tuple[Path, ...]]]:
        return type(self), (self.paths,)

    @staticmethod
    def key(tar: int, member: Member) -> str:
        """The key of a member of the tar with that number."""
        return f"{tar}/{member.offset}/{member.size}/{member.name}"

    def read(self, key: str) -> bytes:
        tar, offset, size, name = _parts(key)
        if not self.has(key):
            raise missing_image(name)
        with self.paths[tar].open("rb") as file:
            file.seek(offset)
            data = file.read(size)
        if len(data) < size:
            raise refuse("IMG104", name, why=f"{self.paths[tar].name} ends before it")
        return data

    def has(self, key: str) -> bool:
        return bool(key) and self.paths[_parts(key)[0]].is_file()

    def name(self, key: str) -> str:
        return _parts(key)[3]

    def path(self, key: str) -> Path | None:  # noqa: ARG002
        return None

    def stamp(self, key: str) -> str:
        tar, offset, size, _ = _parts(key)
        seen = self.paths[tar].stat()
        return f"{self.paths[tar].name}:{seen.st_size}:{seen.st_mtime_ns}:{offset}:{size}"

    def keys(self) -> Iterable[str]:
        return self._keys

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        unheard = Findings()
        return tuple(
            self.key(tar, member)
            for tar, path in enumerate(self.paths)
            for member in read_members(path, unheard, path.name)
            if is_image(PurePosixPath(member.name).name)
        )


def read_members(path: Path, findings: Findings, file: str) -> list[Member]:
    """The plain files in a tar; what else it holds, and where it breaks off, goes to `findings`."""
    members: list[Member] = []
    if not is_file(path):
        findings.add("DAT104", file, file=shown(file), why="it is a link that leads nowhere")
        return members
    with path.open("rb") as opened:
        start = opened.read(6)
        if not start:
            findings.add("DAT104", file, file=shown(file), why="it holds 0 bytes")
            return members
        if start.startswith(_COMPRESSED):
            findings.add("DAT111", file, file=shown(file))
            return members
        with mmap(opened.fileno(), 0, access=ACCESS_READ) as data:
            try:
                for member in walk(data):
                    _sort(member, members, findings, file)
            except BrokenTar as error:
                findings.add("DAT104", file, file=shown(file), why=str(error))
    return members


def _sort(member: Member, members: list[Member], findings: Findings, file: str) -> None:
    """A plain file goes to `members`, a folder is passed by, and everything else is named."""
    if member.kind not in _PLAIN:
        if member.kind != _FOLDER:
            kind = _KINDS.get(member.kind, "of an unknown kind")
            findings.add("DAT110", file, member=shown(member.name), file=shown(file), kind=kind)
    elif member.name.startswith("/") or ".." in member.name.split("/"):
        kind = "named as if it lay outside"
        findings.add("DAT110", file, member=shown(member.name), file=shown(file), kind=kind)
    elif not member.name.endswith("/"):  # old tars mark a folder so
        members.append(member)


def _parts(key: str) -> tuple[int, int, int, str]:
    tar, offset, size, name = key.split("/", 3)
    return int(tar), int(offset), int(size), name
