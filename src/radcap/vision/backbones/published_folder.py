"""Published folders: where they lie, and the weights in them.

A folder is on this disk, or in the cache that Hugging Face's tools fill.
Invariant: nothing is fetched, and no code of a folder is run.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.core import InputError, Missing
from radcap.vision.backbones.geometry import read_json
from radcap.vision.backbones.weights import is_model_folder, read_weights
from radcap.vision.transformers_library import open_transformers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    import torch

    from radcap.vision.settings import BackboneSettings

__all__ = ["find_folder", "names_folder", "read_folder", "transformers_module"]

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_INDEX = ".index.json"


def names_folder(settings: BackboneSettings) -> bool:
    """Whether `weights` names what others published, and no model of ours or nothing."""
    return settings.weights != "none" and not is_model_folder(Path(settings.weights))


def find_folder(named: str, config: str, key: str = "[backbone] weights") -> Path:
    """A folder by its path, or by the repository whose `config` the Hugging Face cache holds.

    `key` is what names it in a system file.
    """
    path = Path(named)
    if path.is_dir():
        return path
    if not _REPOSITORY.fullmatch(named):
        raise Missing(
            f"The folder {named!r}",
            f"{key} names it.",
            "Put the published folder there, or name another.",
        )
    cached: Any = transformers_module().utils.cached_file
    try:
        return Path(cached(named, config, local_files_only=True)).parent
    except OSError as error:
        raise Missing(
            f"The model {named}",
            f"It is no folder here, and the Hugging Face cache does not hold its {config}.",
            f"Fetch it where there is a network: hf download {named}, or name its folder.",
        ) from error


def read_folder(folder: Path, files: Sequence[str]) -> tuple[dict[str, torch.Tensor], Path]:
    """The weights of the first of these files that a folder has, and the file; an index names several."""
    for name in files:
        path = folder / name
        if path.is_file():
            return _read_all(path) if name.endswith(_INDEX) else read_weights(path), path
    raise InputError(
        f"{folder} holds no weights: {', '.join(files)} are looked for. Get the published folder whole.",
        path=str(folder),
    )


def _read_all(index: Path) -> dict[str, torch.Tensor]:
    """The weights of every file that an index names."""
    parts: Any = read_json(index).get("weight_map")
    names: list[str] = sorted({str(one) for one in parts.values()}) if isinstance(parts, dict) else []
    if not names or any(Path(name).name != name for name in names):
        raise InputError(
            f"{index} names no files beside it. Get the published folder again.", path=str(index)
        )
    found: dict[str, torch.Tensor] = {}
    for name in names:
        found |= read_weights(index.parent / name)
    return found


def transformers_module() -> ModuleType:
    """transformers, where it is installed."""
    return open_transformers("Networks that others published are built with it.", "train")
