"""The files that ship inside, and whether they are still those that were shipped.

`radcap/SHA256SUMS` lists them as `sha256sum` does. Invariant: nothing is loaded, only read and hashed.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["LIST", "ROOT", "changed_files", "sums_text"]

ROOT = Path(__file__).parents[2]
LIST = "SHA256SUMS"
_KEPT = ("data", "zoo")
_CODE = {".py", ".pyc"}


def sums_text(root: Path = ROOT) -> str:
    """The list as it should be for the files that are there."""
    files = (one for folder in _KEPT for one in (root / folder).rglob("*") if one.is_file())
    lines = (
        f"{_digest(one)}  {one.relative_to(root).as_posix()}\n" for one in files if one.suffix not in _CODE
    )
    return "".join(sorted(lines, key=lambda line: line[64:]))


def changed_files(root: Path = ROOT) -> tuple[str, ...]:
    """Files of the list that are missing, cannot be read, or are not what they were."""
    try:
        lines = (root / LIST).read_text(encoding="utf-8").splitlines()
    except OSError:
        return (LIST,)
    pairs = (line.split("  ", 1) for line in lines)
    return tuple(name for digest, name in pairs if not _is_same(root / name, digest))


def _is_same(path: Path, digest: str) -> bool:
    try:
        return _digest(path) == digest
    except OSError:
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
