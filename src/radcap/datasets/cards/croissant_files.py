"""The files of a dataset in the words of Croissant.

Invariant: a file of labels or an archive is named with its size and SHA-256; loose images are a set by their
folder and ending, for naming a hundred thousand of them helps nobody.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["SETS", "distribution", "identifier"]

_MIMES = {
    ".parquet": "application/x-parquet",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".tar": "application/x-tar",
    ".zip": "application/zip",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".bmp": "image/bmp",
    ".dcm": "application/dicom",
}
_IMAGES = {ending for ending, mime in _MIMES.items() if mime.startswith("image/")} | {".dcm"}
_CHUNK = 1 << 20
_ODD = re.compile(r"[^A-Za-z0-9_./*-]")
SETS = {
    "parquet": "shards",
    "hf": "shards",
    "folder": "tables",
    "webdataset": "samples",
}  # that records are in
_INCLUDES = {
    "parquet": ("*.parquet", ".parquet"),
    "hf": ("data/*.parquet", ".parquet"),
    "folder": ("*/metadata.csv", ".csv"),
    "webdataset": ("*.json", ".json"),
}


def distribution(files: Sequence[Path], folder: Path, layout: str) -> Iterator[dict[str, Any]]:
    """Every file, and the sets that records are read from."""
    images: dict[str, str] = {}
    for path in files:
        name = path.relative_to(folder).as_posix()
        if path.suffix.lower() in _IMAGES:
            images[f"{name.rpartition('/')[0]}/*{path.suffix}".lstrip("/")] = _MIMES[path.suffix.lower()]
        else:
            yield _file(path, name)
    if layout in SETS:
        pattern, ending = _INCLUDES[layout]
        tars = [{"@id": identifier(path.name)} for path in files if path.suffix == ".tar"]
        yield _file_set(SETS[layout], pattern, _MIMES[ending]) | ({"containedIn": tars} if tars else {})
    for pattern, mime in sorted(images.items()):
        yield _file_set(f"images/{pattern}", pattern, mime)


def identifier(name: str) -> str:
    """A name as an `@id`, which may hold no blanks: every odd sign is written as its number."""
    return _ODD.sub(lambda match: f"%{ord(match[0]):02X}", name)


def _file(path: Path, name: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": identifier(name),
        "name": name,
        "contentUrl": name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": _MIMES.get(path.suffix.lower(), "application/octet-stream"),
        "sha256": _digest(path),
    }


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            digest.update(data)
    return digest.hexdigest()


def _file_set(name: str, pattern: str, mime: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": identifier(name),
        "name": name,
        "includes": pattern,
        "encodingFormat": mime,
    }
