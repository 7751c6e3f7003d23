"""Where a base lies on this machine, and what is noted of it.

Invariant: a base is there whole or not at all: its note is written last, and names each file with its size
and digest. Nothing is loaded here.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.captioning.base_models.catalogue import BASES, NEEDS
from radcap.core import Missing, UsageError
from radcap.zoo import PREFIX, base_folder, package_file

if TYPE_CHECKING:
    from radcap.captioning.base_models.catalogue import Base

__all__ = [
    "digest",
    "find_base",
    "installed_base",
    "is_whole",
    "language_model_folder",
    "way_to",
    "write_note",
]

_NOTE = "base.json"
_BLOCK = 1 << 20


def find_base(base: Base) -> Path | None:
    """Its installed file, or the folder it was fetched into; nothing where it is neither."""
    fetched = base_folder(base.name)
    return installed_base(base) or (fetched if is_whole(fetched) else None)


def installed_base(base: Base) -> Path | None:
    """The file of an installed package; a language model has to be converted first, and is never taken so."""
    if base.form != "backbone":
        return None
    return package_file(base.package.partition("==")[0].replace("-", "_"), f"models/*{base.ending}")


def language_model_folder(model: str) -> Path:
    """The folder of a language model: a base by its name, or a folder of the user's."""
    name = model.removeprefix(PREFIX)
    base = BASES.get(name)
    if base is not None and base.form == "language model":
        folder = find_base(base)
        if folder is None:
            raise Missing(f"The language model {name}", "It is too large to ship inside.", way_to(name))
        return folder
    if not model or not Path(model).is_dir():
        known = ", ".join(one.name for one in BASES.values() if one.form == "language model")
        raise UsageError(
            f"[decoder] model is {model!r:.80}, which is no folder here. Write {known}, or the folder of a"
            " language model as transformers saves it."
        )
    return Path(model)


def way_to(name: str) -> str:
    """How a base is had: by itself, or with the model that needs it."""
    model = next((one for one, bases in NEEDS.items() if name in bases), name)
    return f"Run: radcap models get {model}."


def write_note(folder: Path, base: Base, tools: dict[str, str]) -> None:
    """The last file of a base: what it was made from, with what, and what was made."""
    files = sorted(folder.iterdir())
    made = {one.name: {"size_bytes": one.stat().st_size, "sha256": digest(one)} for one in files}
    origin = {"package": base.package, "wheel": base.wheel, "sha256": base.sha256, "licence": base.licence}
    note = {"name": base.name, "from": origin, "tools": tools, "files": made}
    (folder / _NOTE).write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")


def is_whole(folder: Path, *, exactly: bool = False) -> bool:
    """Each file of the note has its size, and `exactly` its digest too."""
    try:
        files: dict[str, Any] = json.loads((folder / _NOTE).read_text(encoding="utf-8"))["files"]
        return bool(files) and all(_fits(folder / name, one, exactly) for name, one in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def digest(path: Path) -> str:
    """The SHA-256 of a file, read in pieces."""
    seen = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            seen.update(block)
    return seen.hexdigest()


def _fits(path: Path, noted: dict[str, Any], exactly: bool) -> bool:
    return path.stat().st_size == noted["size_bytes"] and (not exactly or digest(path) == noted["sha256"])
