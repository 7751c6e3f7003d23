"""Systems by name, as they ship inside, or from a file of your own.

Invariant: a system of the catalogue is called by its folder and file, `EDITION/TEAM-TASK`; what is read has
its members expanded, and loads no torch.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from radcap.core import RadcapError, UsageError, unknown_name
from radcap.core.dotted import load_dotted
from radcap.core.tables import TableFindings, TomlText, read_toml, refusal

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from radcap.captioning.system import CaptionSystem
    from radcap.detection.system import ConceptSystem
    from radcap.explanation.system import ExplainSystem

    System: TypeAlias = ConceptSystem | CaptionSystem | ExplainSystem

__all__ = [
    "READERS",
    "read_captions",
    "read_concepts",
    "read_system",
    "system_names",
    "systems",
    "systems_of",
]

_SUFFIX = ".toml"
READERS = {  # task -> reader of its file
    "concepts": "radcap.detection.system_reading:read_concept_system",
    "captions": "radcap.captioning.system_reading:read_caption_system",
    "explain": "radcap.explanation.system_reading:read_explain_system",
}


@cache
def system_names() -> tuple[str, ...]:
    """The systems that ship inside."""
    folders = (one for one in files("radcap.systems").iterdir() if one.is_dir())
    found = ((folder.name, file.name) for folder in folders for file in folder.iterdir())
    return tuple(
        sorted(f"{folder}/{name.removesuffix(_SUFFIX)}" for folder, name in found if name.endswith(_SUFFIX))
    )


@cache
def systems() -> tuple[System, ...]:
    """All of them, by name."""
    return tuple(read_system(name) for name in system_names())


def systems_of(task: str) -> tuple[System, ...]:
    """Those of one task; an unknown one is refused with the nearest."""
    if task not in READERS:
        raise unknown_name("task", task, READERS)
    return tuple(one for one in systems() if one.task == task)


def read_system(name_or_path: str | Path) -> System:
    """The system of that name, or the one in a file; a member's file is looked for beside it."""
    from radcap.detection.members import resolve
    from radcap.detection.system import ConceptSystem

    file, folder = _file(name_or_path, Path())
    toml = read_toml(file, str(name_or_path))
    system = _read(toml)
    if not isinstance(system, ConceptSystem):
        return system
    return resolve(
        system,
        lambda member: _member(member, folder),
        text=toml.text,
        path=str(name_or_path),
        leads_back=lambda member: _key(file) in _keys_from(member, folder, set()),
    )


def read_concepts(name_or_path: str | Path) -> ConceptSystem:
    """The same, where a concept system is wanted."""
    return _concepts(read_system(name_or_path), str(name_or_path))


def read_captions(name_or_path: str | Path) -> CaptionSystem:
    """The same, where a caption system is wanted."""
    return _captions(read_system(name_or_path), str(name_or_path))


def _member(name: str, folder: Path) -> ConceptSystem:
    return _concepts(_read(read_toml(_file(name, folder)[0], name)), name)


def _keys_from(name: str, folder: Path, seen: set[str]) -> set[str]:
    """The file of that name and those that its members lead to, each once; what cannot be read ends there."""
    try:
        file, beside = _file(name, folder)
        key = _key(file)
        members = () if key in seen else _member(name, folder).member
    except RadcapError:
        return seen
    seen.add(key)
    for member in members:
        if member.file:
            _keys_from(member.file, beside, seen)
    return seen


def _key(file: Path | Traversable) -> str:
    """What tells a file from others, by whatever path it is named."""
    return str(file.resolve() if isinstance(file, Path) else file)


def _concepts(system: System, name: str) -> ConceptSystem:
    from radcap.detection.system import ConceptSystem

    if not isinstance(system, ConceptSystem):
        raise UsageError(f"{name} is a system of the task {system.task}. A concept system is wanted here.")
    return system


def _captions(system: System, name: str) -> CaptionSystem:
    from radcap.captioning.system import CaptionSystem

    if not isinstance(system, CaptionSystem):
        raise UsageError(f"{name} is a system of the task {system.task}. A caption system is wanted here.")
    return system


def _file(name_or_path: str | Path, folder: Path) -> tuple[Path | Traversable, Path]:
    """A file, and the folder that it stands in."""
    name = str(name_or_path)
    if name in system_names():
        return files("radcap.systems").joinpath(*f"{name}{_SUFFIX}".split("/")), Path()
    path = folder / name_or_path
    if path.suffix != _SUFFIX and not path.exists():
        raise unknown_name("system", name, system_names())
    return path, path.parent


def _read(toml: TomlText) -> System:
    """By its task, since each task has tables of its own."""
    task = toml.values.get("task")
    if isinstance(task, str) and task in READERS:
        return load_dotted(READERS[task])(toml)
    findings = TableFindings(toml.text)
    if task is None:
        findings.note("SYS202", (), place="The file", key="'task'", wanted=f"one of {', '.join(READERS)}")
    else:
        findings.note_choice(("task",), task, READERS)
    raise refusal(toml.path, findings.issues)
