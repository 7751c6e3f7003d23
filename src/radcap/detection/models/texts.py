"""The texts of a folder: written whole or not at all, and refused with a sentence where they are damaged."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from radcap.core import InputError
from radcap.formats import replacing

__all__ = ["Texts"]


@dataclass(frozen=True, slots=True)
class Texts:
    """Files of a folder by name, in UTF-8."""

    path: Path

    def broken(self, name: str, why: str) -> InputError:
        """The refusal of a part."""
        path = str(self.path / name)
        return InputError(
            f"{path} cannot be used: {why}. The model is damaged or not whole: get it again.", path=path
        )

    def digest(self, name: str) -> str:
        return hashlib.sha256(self.read(name).encode()).hexdigest()

    def write(self, name: str, text: str) -> None:
        with replacing(self.path / name) as part:
            part.write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        try:
            return (self.path / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise self.broken(name, str(error)) from error

    def read_json(self, name: str) -> dict[str, Any]:
        try:
            told = json.loads(self.read(name))
        except (ValueError, RecursionError) as error:
            raise self.broken(name, f"it is no JSON ({error})") from error
        if not isinstance(told, dict):
            raise self.broken(name, "it is no JSON object")
        return cast("dict[str, Any]", told)
