"""Systems by name, as they ship inside, or from a file of your own.

Invariant: a system of the catalogue is called by its folder and file, `EDITION/TEAM-TASK`; what is read has
its members expanded, and loads no torch.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import unknown_name
from radcap.core.dotted import load_dotted
from radcap.core.tables import TableFindings, TomlText, read_toml, refusal

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from radcap.detection.system import ConceptSystem

__all__ = ["read_system", "system_names", "systems"]

_SUFFIX = ".toml"
_READERS = {"concepts": "radcap.detection.system_reading:read_concept_system"}  # task -> reader of its file


@cache
def system_names() -> tuple[str, ...]:
    """The systems that ship inside."""
    folders = (one for one in files("radcap.systems").iterdir() if one.is_dir())
    found = ((folder.name, file.name) for folder in folders for file in folder.iterdir())
    return tuple(
        sorted(f"{folder}/{name.removesuffix(_SUFFIX)}" for folder, name in found if name.endswith(_SUFFIX))
    )


@cache
def systems() -> tuple[ConceptSystem, ...]:
    """All of them, by name."""
    return tuple(read_system(name) for name in system_names())


def read_system(name_or_path: str | Path) -> ConceptSystem:
    """The system of that name, or the one in a file; a member's file is looked for beside it."""
    from radcap.detection.members import resolve

    file, folder = _file(name_or_path, Path())
    toml = read_toml(file, str(name_or_path))
    return resolve(
        _read(toml), lambda member: _member(member, folder), text=toml.text, path=str(name_or_path)
    )


def _member(name: str, folder: Path) -> ConceptSystem:
    return _read(read_toml(_file(name, folder)[0], name))


def _file(name_or_path: str | Path, folder: Path) -> tuple[Path | Traversable, Path]:
    """A file, and the folder that it stands in."""
    name = str(name_or_path)
    if name in system_names():
        return files("radcap.systems").joinpath(*f"{name}{_SUFFIX}".split("/")), Path()
    path = folder / name_or_path
    if path.suffix != _SUFFIX and not path.exists():
        raise unknown_name("system", name, system_names())
    return path, path.parent


def _read(toml: TomlText) -> ConceptSystem:
    """By its task, since each task has tables of its own."""
    task = toml.values.get("task")
    if isinstance(task, str) and task in _READERS:
        return load_dotted(_READERS[task])(toml)
    findings = TableFindings(toml.text)
    if task is None:
        findings.note("SYS202", (), place="The file", key="'task'", wanted=f"one of {', '.join(_READERS)}")
    else:
        findings.note_choice(("task",), task, _READERS)
    raise refusal(toml.path, findings.issues)
