"""Models, data and weights: how large they are, under which licence, and whether they are whole.

Invariant: what is in doubt is told, never repaired.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from radcap.reading.health.shipped_files import ROOT
from radcap.reading.health.values import Asset

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from radcap.captioning.base_models import ModelState

__all__ = ["data_assets", "model_assets"]

_DATA = {  # what it is called -> its folder, and the file there that tells the licence
    "radiology-open": ("data/radiology_open", "card.json"),
    "vocabulary free": ("data/vocabulary", "free/sources.json"),
}


def model_assets(changed: Iterable[str]) -> tuple[Asset, ...]:
    """The models inside, and the weights of others that they begin with."""
    from radcap.captioning.base_models import model_states

    return tuple(_of_state(one, tuple(changed)) for one in model_states())


def data_assets(changed: Iterable[str], root: Path = ROOT) -> tuple[Asset, ...]:
    """The dataset and the vocabulary inside."""
    names = tuple(changed)
    found: list[Asset] = []
    for name, (folder, file) in _DATA.items():
        files = [one for one in (root / folder).rglob("*") if one.is_file()]
        state, broken = _state_of(folder, names)
        size = sum(one.stat().st_size for one in files)
        found.append(Asset(name, "data", size, _licence(root / folder / file), state, broken))
    return tuple(found)


def _of_state(one: ModelState, changed: tuple[str, ...]) -> Asset:
    if one.kind == "base":
        state = "here" if one.ready else f"not here: radcap models get {one.name}"
        return Asset(one.name, "base", one.size_bytes, one.licence, state)
    state, broken = _state_of(f"zoo/{one.name.partition(':')[2]}", changed)
    return Asset(one.name, "model", one.size_bytes, one.licence, state, broken)


def _state_of(folder: str, changed: tuple[str, ...]) -> tuple[str, bool]:
    wrong = [name for name in changed if name.startswith(f"{folder}/")]
    return (f"changed or missing: {', '.join(wrong)}", True) if wrong else ("as shipped", False)


def _licence(path: Path) -> str:
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["licence"])
    except (OSError, ValueError, KeyError):
        return "unknown"
