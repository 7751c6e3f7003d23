"""Images that somebody names one by one, as a dataset without labels.

Invariant: an id is the name of the file, made unique by a number where two files share one; bytes of a name
that are no text are written out. Nothing is read before it is asked for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from radcap.core import UsageError, counted
from radcap.datasets.columns import make_table
from radcap.datasets.dataset import Dataset
from radcap.datasets.refusal import missing_image
from radcap.datasets.stores.file_bytes import file_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["FILES", "image_files", "named_bytes"]

FILES = "files"  # the layout of a dataset whose images were named one by one
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Files by their paths as text, which are the keys."""

    paths: Mapping[str, Path]

    def read(self, key: str) -> bytes:
        if not self.has(key):
            raise missing_image(key)
        return file_bytes(self.paths[key], key)

    def has(self, key: str) -> bool:
        return key in self.paths

    def name(self, key: str) -> str:
        return key

    def path(self, key: str) -> Path | None:
        return self.paths.get(key)

    def stamp(self, key: str) -> str:
        if not self.has(key):
            return ""
        seen = self.paths[key].stat()
        return f"{seen.st_size}:{seen.st_mtime_ns}"

    def keys(self) -> Iterable[str]:
        return self.paths


def image_files(paths: Sequence[str | Path], *, check: bool = True) -> Dataset:
    """Files as a dataset; all that are not there are refused at once, or without `check` when read."""
    named = [Path(one) for one in paths]
    away = [str(one) for one in named if not one.is_file()] if check else []
    if away:
        some = ", ".join(away[:_SHOWN]) + (", ..." if len(away) > _SHOWN else "")
        raise UsageError(f"{len(away):,} of {counted(len(named))} cannot be found: {some}. Check the names.")
    keys = [_text(str(one)) for one in named]
    ids = _unique([_text(one.stem) for one in named])
    columns = {"image_id": ids, "image": keys, "split": [""] * len(keys)}
    files = NamedFiles(dict(zip(keys, named, strict=True)))
    return Dataset("images", make_table(columns, len(keys)), files, layout=FILES)


@dataclass(frozen=True, slots=True)
class NamedBytes:
    """Images in memory by their names."""

    held: Mapping[str, bytes]

    def read(self, key: str) -> bytes:
        if not self.has(key):
            raise missing_image(key)
        return self.held[key]

    def has(self, key: str) -> bool:
        return key in self.held

    def name(self, key: str) -> str:
        return key

    def path(self, key: str) -> Path | None:  # noqa: ARG002 - none of them is a file
        return None

    def stamp(self, key: str) -> str:
        return sha256(self.held[key]).hexdigest() if self.has(key) else ""

    def keys(self) -> Iterable[str]:
        return self.held


def named_bytes(images: Mapping[str, bytes]) -> Dataset:
    """Images that somebody holds, by name."""
    keys = [_text(one) for one in images]
    ids = _unique([_text(PurePath(one).stem) or one for one in keys])
    columns = {"image_id": ids, "image": keys, "split": [""] * len(keys)}
    held = NamedBytes(dict(zip(keys, images.values(), strict=True)))
    return Dataset("images", make_table(columns, len(keys)), held, layout=FILES)


def _text(name: str) -> str:
    """A file may have any bytes for a name; a table holds text alone."""
    return name.encode(errors="backslashreplace").decode()


def _unique(names: Sequence[str]) -> list[str]:
    """Names that come twice get the number of the time they come, or the next that is free."""
    many, seen = Counter(names), Counter[str]()
    taken = {name for name, times in many.items() if times == 1}
    found: list[str] = []
    for name in names:
        given = name
        while many[name] > 1 and (given == name or given in taken):
            seen[name] += 1
            given = f"{name}-{seen[name]}"
        taken.add(given)
        found.append(given)
    return found
