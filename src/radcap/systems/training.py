"""Train a system by its name or file, with a setting changed here and there.

Invariant: a change goes through the same checks as the file, so a wrong key is refused with the nearest one.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.core import UsageError
from radcap.core.tables import TomlText
from radcap.systems.catalogue import read_system

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.datasets import Dataset
    from radcap.detection.models import ModelFolder
    from radcap.detection.system import ConceptSystem
    from radcap.detection.training import Talk

__all__ = ["changed", "train"]


def train(
    system: ConceptSystem | str | Path,
    data: Dataset | str | Path,
    out: Path | str,
    *,
    changes: Mapping[str, str] | None = None,
    talk: Talk | None = None,
) -> ModelFolder:
    """Train a system on a dataset into a model folder; an unfinished one is gone on with.

    `changes` are settings by `table.key`, as a TOML file would write their values.
    """
    from radcap.datasets import Dataset, load_dataset
    from radcap.detection.training import SILENT, train_system

    wanted = read_system(system) if isinstance(system, str | Path) else system
    wanted = changed(wanted, changes) if changes else wanted
    dataset = data if isinstance(data, Dataset) else load_dataset(data)
    return train_system(wanted, dataset, Path(out), talk or SILENT)


def changed(system: ConceptSystem, changes: Mapping[str, str]) -> ConceptSystem:
    """The system with settings replaced, in it and in each of its members."""
    from radcap.detection.system_reading import read_concept_system, system_toml

    text = system_toml(system, full=True)
    values = tomllib.loads(text)
    for key, value in changes.items():
        places = [values, *values.get("member", [])] if "." in key else [values]
        for place in places:
            _set(place, key, _value(key, value))
    return read_concept_system(TomlText(values, "", f"{system.name} with its changes"))


def _set(values: dict[str, Any], key: str, value: object) -> None:
    *tables, last = key.split(".")
    for table in tables:
        inner = values.setdefault(table, {})
        if not isinstance(inner, dict):
            raise UsageError(f"{key} cannot be set: {table} is no table. Write TABLE.KEY=VALUE.")
        values = inner  # type: ignore[assignment]
    values[last] = value


def _value(key: str, text: str) -> object:
    """A value as TOML writes it; a bare word is a string."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        if not text or any(sign in text for sign in "\"'[]{}\n="):
            raise UsageError(f"{key}={text} is no value of a TOML file. Write a number, a word or a list.") from None
        return text
