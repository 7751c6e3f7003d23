"""MedCAT, of release 1 or 2, with a model pack that lies unpacked in a folder.

Invariant: every entity MedCAT gives is passed on with its identifier as the pack has it.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_NEW_RELEASE = 2  # it keeps packs in folders of folders, and converts those of release 1


def absent(options: dict[str, Any]) -> list[str]:
    """What is not installed: a MedCAT that can open the pack, or what MedCAT 2 converts old packs with."""
    if find_spec("medcat") is None:
        return ["medcat"]
    is_new = "cdb" in options["holds"]
    if _release() < _NEW_RELEASE:
        return ["medcat 2"] if is_new else []
    needed: list[str] = []
    if not is_new:
        needed = ["spacy"]
        if any(name.startswith("meta_") for name in options["holds"]):
            needed += ["torch", "transformers"]
    return [name for name in needed if find_spec(name) is None]


def _release() -> int:
    return int(_version().split(".")[0])


def _version() -> str:
    return import_module("importlib.metadata").version("medcat")


def open_tool(options: dict[str, Any]) -> Tool:
    # the library asks a server for newer releases; nobody wants that said or sent
    os.environ.setdefault("MEDCAT_DISABLE_VERSION_CHECK", "true")
    cat = import_module("medcat.cat").CAT
    try:
        return Tool(cat.load_model_pack(options["pack"]))
    except Exception as error:
        if type(error).__name__ in {"MissingDependenciesError", "MissingPluginError"}:
            raise ImportError(str(error)) from error  # it is no ImportError, and says what to install
        raise


class Tool:
    """An opened model pack."""

    def __init__(self, cat: Any) -> None:
        self._cat = cat
        self.about: dict[str, Any] = {"name": "MedCAT", "version": _version(), "notes": []}

    def entities(self, texts: list[str]) -> list[list[dict[str, Any]]]:
        return [self._entities(text) for text in texts]

    def _entities(self, text: str) -> list[dict[str, Any]]:
        found = self._cat.get_entities(text).get("entities", {})
        return [_entity(one) for one in found.values()]


def _entity(found: dict[str, Any]) -> dict[str, Any]:
    meta: dict[str, Any] = found.get("meta_anns") or {}
    return {
        "start": int(found["start"]),
        "end": int(found["end"]),
        "id": str(found["cui"]),
        "name": str(found["pretty_name"]),
        "types": sorted(map(str, found.get("type_ids") or found.get("tuis") or [])),
        "score": float(found["acc"]),
        "meta": {str(name): str(one["value"]) for name, one in meta.items()},
    }
