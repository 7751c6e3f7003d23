"""Train a system by its name or file, with a setting changed here and there.

Invariant: a change goes through the same checks as the file, so a wrong key is refused with the nearest one.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from radcap.core import Missing, UsageError
from radcap.core.dotted import load_dotted
from radcap.core.tables import TomlText
from radcap.systems.catalogue import READERS, read_captions, read_concepts, read_system
from radcap.systems.showing import written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.captioning.system import CaptionSystem
    from radcap.datasets import Dataset
    from radcap.detection.models.any_folder import AnyFolder
    from radcap.detection.system import ConceptSystem
    from radcap.detection.talk import Talk
    from radcap.systems.catalogue import System

__all__ = ["changed", "train"]

_ANSWERS = {"retrieval": "its neighbours", "learner": "a classic model", "text": "words"}
_TRAINERS = {
    "concepts": "radcap.detection.training:train_system",
    "captions": "radcap.captioning.training:train_captions",
}


def train(
    system: System | str | Path,
    data: Dataset | str | Path,
    out: Path | str,
    *,
    changes: Mapping[str, str] | None = None,
    talk: Talk | None = None,
) -> AnyFolder:
    """Train a system on a dataset into a model folder; an unfinished one is gone on with.

    `changes` are settings by `table.key`, as a TOML file would write their values.
    """
    wanted = read_system(system) if isinstance(system, str | Path) else system
    wanted = changed(wanted, changes) if changes else wanted
    if wanted.task not in _TRAINERS:
        how = "Run: radcap explain MODEL IMAGES --method NAME."
        raise UsageError(f"{wanted.name} explains models, and there is nothing to train. {how}")
    try:
        trainer = load_dotted(_TRAINERS[wanted.task])
    except ModuleNotFoundError as error:
        raise Missing(str(error.name), "Training needs it.", "Run: pip install 'radcap[train]'") from error
    _check_out(Path(out))
    from radcap.datasets import Dataset, load_dataset
    from radcap.detection.talk import SILENT

    dataset = data if isinstance(data, Dataset) else load_dataset(data)
    more = {"read": read_concepts} if wanted.task == "captions" else {}  # of the detector that it names
    return trainer(wanted, dataset, Path(out), talk or SILENT, **more)


def _check_out(out: Path) -> None:
    """Refuse a saved dataset, which has a card as a finished model has, but no settings."""
    if (out / "card.json").is_file() and not (out / "system.toml").exists():
        raise UsageError(
            f"{out} holds files that are no training of radcap. Choose a new or an empty folder."
        )


def changed(system: System, changes: Mapping[str, str]) -> System:
    """The system with settings replaced, in it and in each of its members."""
    from radcap.captioning.system import CaptionSystem
    from radcap.detection.system import ConceptSystem

    path, wanted = f"{system.name} with its changes", {key: _value(key, one) for key, one in changes.items()}
    if isinstance(system, ConceptSystem):
        return _changed_concepts(system, wanted, path)
    if isinstance(system, CaptionSystem):
        return _changed_captions(system, wanted, path)
    values = tomllib.loads(written(system, full=True))
    for key, value in wanted.items():
        _set(values, key, value)
    return load_dotted(READERS[system.task])(TomlText(values, "", path))


def _changed_concepts(system: ConceptSystem, wanted: Mapping[str, object], path: str) -> ConceptSystem:
    from radcap.detection.members import resolve
    from radcap.detection.system_reading import read_concept_system, system_toml

    values = tomllib.loads(system_toml(system, full=True))
    members = cast("list[dict[str, Any]]", values.pop("member", []))
    for key, value in wanted.items():
        _set(values, key, value)
    read_concept_system(TomlText(values, "", path))  # what is wrong is told once, and not of each member
    for key, value in wanted.items():
        for one in _concerned(members, key):
            _set(one, key, value)
    if members:  # each answers in its own way
        values = {key: one for key, one in values.items() if key not in _ANSWERS}
    values |= {"member": members} if members else {}
    return resolve(read_concept_system(TomlText(values, "", path)), read_concepts, path=path)


def _changed_captions(system: CaptionSystem, wanted: Mapping[str, object], path: str) -> CaptionSystem:
    """What is of the whole stays there; each of the other tables has its place in every member too."""
    from radcap.captioning.members import resolve
    from radcap.captioning.system import OF_THE_WHOLE
    from radcap.captioning.system_reading import caption_toml, read_caption_system, read_caption_tables

    values = tomllib.loads(caption_toml(system, full=True))
    members = cast("list[dict[str, Any]]", values.pop("member", []))
    for key, value in wanted.items():
        _set(values, key, value)
    read_caption_tables(TomlText(values, "", path))  # what is wrong is told once, and not of each member
    for key, value in wanted.items():
        table, dot, _ = key.partition(".")
        for one in members if dot and table not in (*OF_THE_WHOLE, "join", "published") else ():
            _set(one, key, value)
    values |= {"member": members} if members else {}
    return resolve(read_caption_system(TomlText(values, "", path)), read_captions, path=path)


def _concerned(members: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """The members that have the table of a key: some answer in a way that they name themselves, and those who
    go by words train no network."""
    table, dot, _ = key.partition(".")
    having = [one for one in members if table in one] if dot else []
    if table in {"search", "teacher"}:
        having = [one for one in having if "text" not in one]
    if table in _ANSWERS and members and not having:
        raise UsageError(f"{key} cannot be set: no member of this system answers by {_ANSWERS[table]}.")
    return having


def _set(values: dict[str, Any], key: str, value: object) -> None:
    *tables, last = key.split(".")
    for table in tables:
        inner = values.setdefault(table, {})
        if not isinstance(inner, dict):
            raise UsageError(f"{key} cannot be set: {table} is no table. Write TABLE.KEY=VALUE.")
        values = cast("dict[str, Any]", inner)
    values[last] = value


def _value(key: str, text: str) -> object:
    """A value as TOML writes it; a bare word is a string."""
    try:
        found = tomllib.loads(f"x = {text}")
    except tomllib.TOMLDecodeError:
        found = {} if not text or any(sign in text for sign in "\"'[]{}\n=") else {"x": text}
    if found.keys() != {"x"}:
        raise UsageError(f"{key}={text} is no value of a TOML file. Write a number, a word or a list.")
    return found["x"]
