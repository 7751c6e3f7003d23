"""Small vocabularies, tools that behave as told, and stand-ins for packages."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from radcap.core import Missing
from radcap.vocabulary import Source, Stamp, Vocabulary
from radcap.vocabulary.drafts import PREFERRED, SYNONYM, make_draft
from radcap.vocabulary.extractors.isolated import Tool
from radcap.vocabulary.extractors.options import WorkerOptions
from radcap.vocabulary.index.compiling import make_arrays

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

__all__ = ["QUICK", "make_vocabulary", "stand_in_package", "tiny_vocabulary", "write_tool"]

QUICK = WorkerOptions(start_s=120, timeout_s=120)


def make_vocabulary(
    names: Mapping[int, Sequence[str]],
    types: Sequence[tuple[int, int]] = (),
    codes: Sequence[tuple[int, int, str]] = (),
    name: str = "tiny",
) -> Vocabulary:
    """A vocabulary in memory; the first name of a concept is its own."""
    source = Source("SNOMEDCT_US")
    rows = [
        (cui, text, 0, SYNONYM if i else PREFERRED)
        for cui, texts in names.items()
        for i, text in enumerate(texts)
    ]
    arrays, counts = make_arrays(make_draft([source], rows, types, codes=codes))
    return Vocabulary(arrays, Stamp(name, "2025", "free", (source,), counts=counts))


def tiny_vocabulary() -> Vocabulary:
    return make_vocabulary(
        {
            18787: ["Heart", "Heart structure"],
            32227: ["Pleural effusion", "effusion of pleura"],
            40405: ["X-Ray Computed Tomography", "computed tomography", "CT"],
            817096: ["Chest"],
            1281570: ["Entire heart"],
        },
        [(18787, 23), (32227, 47), (40405, 60), (817096, 29)],
        [(18787, 0, "80891009"), (1281570, 0, "80891009")],
    )


def write_tool(folder: Path, entities: str, *, absent: str = "[]", opening: str = "pass") -> Tool:
    """A tool whose `entities(texts)` has this body; `opening` runs when it is opened."""
    path = folder / "told_tool.py"
    path.write_text(
        dedent(
            """
            import os, signal, subprocess, sys, time

            def absent(options):
                return {absent}

            def open_tool(options):
                {opening}
                return Told(options)

            class Told:
                def __init__(self, options):
                    self.options = options
                    self.about = {{"name": "Told", "version": "1", "notes": options.get("notes", [])}}

                def repeat(self, given):
                    return given

                def entities(self, texts):
            """
        ).format(absent=absent, opening=opening)
        + "".join(f"        {line}\n" for line in dedent(entities).strip().splitlines()),
        encoding="utf-8",
    )
    return Tool("Told", path, lambda names, python: Missing(" and ".join(names), "Absent.", "Get it."))


def stand_in_package(
    monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, files: Mapping[str, str], version: str = ""
) -> None:
    """A package that can be imported for one test, with a release if it has one."""
    for loaded in [one for one in sys.modules if one.partition(".")[0] == name]:
        monkeypatch.delitem(sys.modules, loaded)
    for file, text in {"__init__.py": "", **files}.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        module = ".".join([name, *Path(file).with_suffix("").parts]).removesuffix(".__init__")
        monkeypatch.setitem(sys.modules, module, None)  # so that what is imported goes when the test ends
        monkeypatch.delitem(sys.modules, module)
    if version:
        about = folder / f"{name}-{version}.dist-info" / "METADATA"
        about.parent.mkdir()
        about.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
