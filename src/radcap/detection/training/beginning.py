"""Taking a folder for a training, or finding one that was begun before.

Invariant: a folder that holds anything but the same training is refused before any work, so nothing of the
user's is mixed with a model, and nothing of it is ever deleted.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from radcap.core import InputError, UsageError
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.detection.models.any_folder import AnyFolder

__all__ = ["begin", "check_names"]

_NAME_BYTES = 200  # the most file systems take 255, and what is written first has a longer name
_SHOWN = 40  # letters of a name that is refused


def check_names(name: str, members: Sequence[str], folder: AnyFolder) -> None:
    """Refuse the names of a system and its members that cannot be those of files, or not apart."""
    for one in (name, *members):
        size = len(one.encode())
        if size > _NAME_BYTES:
            raise UsageError(
                f"The name {one[:_SHOWN]}... has {size:,} bytes, and files are named by it:"
                f" {_NAME_BYTES} are the most. Give a shorter one."
            )
    places = [folder.member_path(one).name.casefold() for one in members]
    twice = [one for one, place in zip(members, places, strict=True) if places.count(place) > 1]
    if twice:
        raise UsageError(f"The members {', '.join(twice)} would share a folder. Give them other names.")


def begin(folder: AnyFolder, fingerprint: str) -> None:
    """`fingerprint` is that of settings and data together."""
    path, state = folder.path, folder.training / "state.json"
    if folder.is_whole:
        raise UsageError(f"{path} holds a finished model. Choose another folder, or delete that one.")
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is no folder. Choose another name.")
    if state.is_file():
        if _begun(folder) != fingerprint:
            raise UsageError(
                f"{path} was begun with other settings or other data, and is not finished."
                " Go on with those, or choose another folder."
            )
        return
    if path.exists() and any(path.iterdir()):
        raise UsageError(
            f"{path} holds files that are no training of radcap. Choose a new or an empty folder."
        )
    with replacing(state) as part:
        part.write_text(json.dumps({"fingerprint": fingerprint}), encoding="utf-8")


def _begun(folder: AnyFolder) -> str:
    state = folder.training / "state.json"
    try:
        return json.loads(state.read_text(encoding="utf-8"))["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{state} cannot be read: {error}. Delete {folder.path} to begin anew.", path=str(state)
        ) from error
