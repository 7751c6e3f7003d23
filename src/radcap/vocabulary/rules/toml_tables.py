"""A table of a TOML file, read key by key, with every problem noted where it stands.

Invariant: nothing is refused here; a value that does not fit is noted and a harmless one taken, so that the
rest of the file is looked at too.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeVar, cast

from radcap.formats import shown
from radcap.vocabulary.concepts import cui_number
from radcap.vocabulary.semantic_types import semantic_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from enum import StrEnum

    from radcap.core import Cui
    from radcap.formats.file_findings import FileFindings

__all__ = ["TomlTable"]

_SHOWN = 60  # letters of a value that is refused
_E = TypeVar("_E", bound="StrEnum")


class TomlTable:
    """One table: the whole file, or a part of it under a header."""

    def __init__(
        self,
        values: dict[str, Any],
        text: str,
        findings: FileFindings,
        header: str = "",
        number: int = 0,
        at: int = 0,
    ) -> None:
        self._values = values
        self._text = text
        self._findings = findings
        self._header, self._number = header, number
        self._at = at  # where the header stands
        self._asked: dict[str, None] = {}

    def text(self, key: str, why: str = "") -> str:
        """A text; where `why` says what it is needed for, it may not be left out."""
        value = self._take(key)
        if value is None and why:
            self._note("RUL202", key, place=self._place, why=why)
        elif value is not None and (not isinstance(value, str) or not value.strip()):
            self._note("RUL203", key, value=_seen(value), wanted="A text")
            return ""
        return value or ""

    def number(self, key: str, why: str) -> int:
        """A number from 1 on."""
        value = self._take(key)
        if value is None:
            self._note("RUL202", key, place=self._place, why=why)
        elif isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self._note("RUL203", key, value=_seen(value), wanted="A whole number from 1 on")
        else:
            return value
        return 1

    def flag(self, key: str) -> bool:
        value = self._take(key)
        if value is not None and not isinstance(value, bool):
            self._note("RUL203", key, value=_seen(value), wanted="true or false")
        return value is True

    def choice(self, key: str, choices: Iterable[str], default: str) -> str:
        """One of several words."""
        known = list(choices)
        value = self._take(key)
        if value is None:
            return default
        if value not in known:
            self._note("RUL203", key, value=_seen(value), wanted=" or ".join(map(repr, known)))
            return default
        return value

    def member(self, key: str, kind: type[_E], default: _E) -> _E:
        return kind(self.choice(key, (one.value for one in kind), default.value))

    def cui(self, key: str, why: str = "") -> Cui:
        """A CUI, or an empty text where there is none to use."""
        value = self.text(key, why)
        if not value or cui_number(value) is not None:
            return value
        if cui_number(value.upper()) is not None:
            self._note("RUL205", key, value, text=shown(value), upper=value.upper())
        else:
            self._note("RUL204", key, value, text=shown(value))
        return ""

    def types(self, key: str) -> tuple[str, ...]:
        """A list of semantic types."""
        listed = self._take(key)
        if listed is None:
            return ()
        if not isinstance(listed, list):
            self._note("RUL203", key, value=_seen(listed), wanted="A list of semantic types")
            return ()
        known = semantic_types()
        found: dict[str, None] = {}
        for one in cast("list[Any]", listed):
            if not isinstance(one, str) or one not in known:
                self._note("RUL206", key, one, text=_seen(one), nearest=_nearest(str(one), known))
            elif one in found:
                self._note("RUL207", key, one, text=one)
            else:
                found[one] = None
        return tuple(found)

    def table(self, key: str) -> TomlTable:
        """The table under a header; an empty one where it is left out."""
        value: Any = self._take(key)
        if value is not None and not isinstance(value, dict):
            self._note("RUL203", key, value=_seen(value), wanted=f"A table [{key}]")
            value = None
        at = next(self._headers(key), 0)
        return TomlTable(cast("dict[str, Any]", value or {}), self._text, self._findings, key, 0, at)

    def tables(self, key: str) -> Iterator[TomlTable]:
        """Each table under a header that may stand several times."""
        value: Any = self._take(key)
        if value is None:
            return
        entries = cast("list[Any]", value if isinstance(value, list) else [value])
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in entries):
            self._note("RUL203", key, value=_seen(cast("Any", value)), wanted=f"Tables [[{key}]]")
            return
        places = [*self._headers(key), *repeat(0, len(entries))]  # tables may be written without headers
        for number, (one, at) in enumerate(zip(entries, places, strict=False), 1):
            yield TomlTable(one, self._text, self._findings, key, number, at)

    def _headers(self, key: str) -> Iterator[int]:
        """Where the headers of a name stand."""
        for match in re.finditer(rf"^[ \t]*\[+[ \t]*{re.escape(key)}\b", self._text, re.MULTILINE):
            yield match.start()

    def note(self, code: str, key: str, text: str) -> None:
        """Note a problem that several values make together."""
        self._note(code, key, text, text=text)

    @property
    def is_empty(self) -> bool:
        return not self._values

    def note_unknown(self) -> None:
        """Note every key that was not asked for; call it last."""
        for key in self._values:
            if key not in self._asked:
                fields = {
                    "place": self._place,
                    "nearest": _nearest(key, self._asked),
                    "known": ", ".join(self._asked),
                }
                self._note("RUL201", key, **fields)

    @property
    def _place(self) -> str:
        if not self._header:
            return "the file"
        return f"[[{self._header}]] number {self._number}" if self._number else f"[{self._header}]"

    def _take(self, key: str) -> Any:
        self._asked[key] = None
        return self._values.get(key)

    def _note(self, code: str, key: str, value: object = None, /, **fields: object) -> None:
        name = f"{self._header}.{key}" if self._header else key
        self._findings.add(code, "", *self._position(key, value), **{"key": name, **fields})

    def _position(self, key: str, value: object) -> tuple[int, int]:
        """Line and column of a key, or of a value behind it; those of the header where there is no key."""
        pattern = re.compile(rf"^[ \t]*(?:\[+[ \t]*)?\"?({re.escape(key)})\b", re.MULTILINE)
        match = pattern.search(self._text, self._at)
        at = match.start(1) if match else self._at
        if isinstance(value, str) and match:
            at = max(at, self._text.find(f'"{value}"', at))
        return self._text.count("\n", 0, at) + 1, at - self._text.rfind("\n", 0, at)


def _seen(value: object) -> str:
    if isinstance(value, str):
        return shown(value)
    text = str(value)
    return text if len(text) <= _SHOWN and text.isprintable() else shown(text)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Nearest is {near[0]!r}." if near else ""
