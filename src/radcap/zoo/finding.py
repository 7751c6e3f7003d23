"""Where a model lies: a folder of the user's, one that ships inside, or one that was fetched before.

Invariant: nothing is loaded here; a name that is nowhere is refused with the way to get it.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from radcap.core import UsageError, cache_root, unknown_name

__all__ = ["PREFIX", "base_folder", "find", "names"]

PREFIX = "zoo:"
_CARD = "card.json"


def names() -> tuple[str, ...]:
    """The models inside, with their prefix."""
    inside = (one for one in files("radcap.zoo").iterdir() if one.is_dir())
    return tuple(sorted(f"{PREFIX}{one.name}" for one in inside if one.joinpath(_CARD).is_file()))


def find(model: str | Path) -> Path:
    """The folder of a model: `zoo:NAME`, or a path."""
    if not str(model).startswith(PREFIX):
        path = Path(model)
        if not (path / _CARD).is_file():
            raise UsageError(
                f"{path} is no model folder: it has no {_CARD}. Give the folder that radcap train wrote,"
                f" or one of {', '.join(names())}."
            )
        return path
    name = str(model).removeprefix(PREFIX)
    inside, fetched = Path(str(files("radcap.zoo"))) / name, cache_root() / "zoo" / name
    for folder in (inside, fetched):
        if Path(name).name == name and name and (folder / _CARD).is_file():
            return folder
    raise unknown_name("model", str(model), names())


def base_folder(name: str) -> Path:
    """Where somebody else's weights are kept that a model of ours begins with; they may not be there yet."""
    return cache_root() / "zoo" / "bases" / name
