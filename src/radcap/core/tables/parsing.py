"""From a TOML file to its keys, with every way in which a file can fail to be one.

Invariant: what is refused is refused with a line, and a file is never read beyond a limit.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from radcap.core.tables.codes import refusal, table_issue

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path
    from typing import NoReturn

__all__ = ["TomlText", "parse_toml", "read_toml"]

_LIMIT_BYTES = 1_000_000
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True, slots=True)
class TomlText:
    """The keys of a file, and the text they stand in."""

    values: Mapping[str, Any]
    text: str
    path: str = ""


def read_toml(file: Path | Traversable, path: str) -> TomlText:
    """The keys of a file; `path` is what messages call it."""
    try:
        with file.open("rb") as stream:
            held = stream.read(_LIMIT_BYTES + 1)
    except OSError as error:
        _refuse(path, "SYS101", why=error.strerror or str(error))
    if len(held) > _LIMIT_BYTES:
        _refuse(path, "SYS104", limit=_LIMIT_BYTES)
    try:
        text = held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(path, "SYS102", held.count(b"\n", 0, error.start) + 1, 1, byte=f"0x{held[error.start]:02X}")
    return parse_toml(text, path)


def parse_toml(text: str, path: str = "") -> TomlText:
    """The keys of a text."""
    try:
        return TomlText(tomllib.loads(text), text, path)
    except RecursionError:
        _refuse(path, "SYS103", 1, 1, why="arrays stand in arrays too deep")
    except ValueError as error:  # TOMLDecodeError, and numbers of thousands of digits
        place = _PLACE.search(str(error))
        line, column = map(int, place.groups()) if place else (text.count("\n") + 1, 1)
        why = _PLACE.sub("", str(error)).removesuffix(" (at end of document)")
        _refuse(path, "SYS103", line, column, why=why[:1].lower() + why[1:])


def _refuse(path: str, code: str, line: int = 0, column: int = 0, **fields: object) -> NoReturn:
    raise refusal(path, (table_issue(code, line, column, **fields),)) from None
