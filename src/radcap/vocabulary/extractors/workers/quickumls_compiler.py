"""QuickUMLS's own compiler, without the download of a spaCy model that its command begins with.

Invariant: what is written is what `python -m quickumls.install` writes with the same settings.
"""

from __future__ import annotations

from argparse import Namespace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def absent(options: dict[str, Any]) -> list[str]:  # noqa: ARG001 - every tool is asked with its options
    """What is not installed."""
    return [name for name in ("quickumls", "spacy", "nltk") if find_spec(name) is None]


def open_tool(options: dict[str, Any]) -> Tool:  # noqa: ARG001 - as above
    return Tool(import_module("quickumls.install"))


class Tool:
    """The compiler."""

    def __init__(self, install: Any) -> None:
        self._install = install
        self.about: dict[str, Any] = {"name": "QuickUMLS"}

    def compile(self, given: dict[str, Any]) -> int:
        """Compile the RRF files of a folder into another, and say how many names that were."""
        rrf, data = Path(given["rrf"]), Path(given["data"])
        settings = Namespace(language="ENG", lowercase=given["lowercase"], normalize_unicode=False)
        for name, text in _flags(given).items():
            (data / name).write_text(text, encoding="utf-8")
        self._names = 0
        names = self._install.extract_from_mrconso(str(rrf / "MRCONSO.RRF"), str(rrf / "MRSTY.RRF"), settings)
        self._install.parse_and_encode_ngrams(
            self._counted(names),
            str(data / "umls-simstring.db"),
            str(data / "cui-semtypes.db"),
            database_backend=given["backend"],
        )
        return self._names

    def _counted(self, names: Any) -> Any:
        for name in names:
            self._names += 1
            yield name


def _flags(given: dict[str, Any]) -> dict[str, str]:
    flags = {"language.flag": "ENG", "database_backend.flag": given["backend"]}
    return {**flags, "lowercase.flag": ""} if given["lowercase"] else flags
