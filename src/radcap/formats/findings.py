"""The list of issues a reader fills while it goes on reading.

Invariant: every issue is counted; the first thousand of a code are kept, and its first error wherever it
stands, so that no crowd of warnings hides it. Nothing here stops a reader.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from radcap.core import Issue, Level
from radcap.formats.codes import CODES, TOLERANT, level_of

if TYPE_CHECKING:
    from radcap.formats.dialects import Dialect

__all__ = ["Findings", "named", "shown"]

_PLAIN = re.compile(r"[\w.\-]{1,80}", re.ASCII)
_SHOWN = 60
_PACKING = frozenset({"RUN103", "RUN104"})  # errors only when somebody asks for the exact packing


class Findings:
    """Issues under one dialect, counted by code."""

    def __init__(self, dialect: Dialect, *, strict: bool = False, kept_per_code: int = 1000) -> None:
        self.dialect = dialect
        self.counts: Counter[str] = Counter()
        self.total = 0
        self._strict = strict
        self._kept_per_code = kept_per_code
        self._issues: list[Issue] = []
        self._refused: set[str] = set()  # codes of which an error is kept

    def add(
        self, code: str, line: int, column: int = 1, *, level: Level | None = None, **fields: object
    ) -> None:
        """Count one finding and keep it while there is room."""
        self.counts[code] += 1
        self.total += 1
        full = self.counts[code] > self._kept_per_code
        if full and code in self._refused:
            return
        level = level or self._level(code)
        if level is Level.ERROR:
            self._refused.add(code)
        elif full:
            return
        entry = CODES[code]
        values = {"line": line, "edition": self.dialect.edition, **fields}
        message, hint = entry.message.format(**values), entry.hint.format(**values)
        self._issues.append(Issue(code, level, line, column, message, hint))

    def _level(self, code: str) -> Level:
        if code in _PACKING and self._strict:
            return Level.ERROR
        if self.dialect.tolerant and code in TOLERANT:
            return TOLERANT[code]
        return level_of(code, self.dialect.year, self.dialect.task)

    @property
    def has_errors(self) -> bool:
        return bool(self._refused)

    @property
    def issues(self) -> tuple[Issue, ...]:
        """In file order; findings about the whole file come first."""
        return tuple(sorted(self._issues, key=lambda issue: (issue.line, issue.column, issue.code)))


def shown(text: str) -> str:
    r"""A stranger's text, quoted, cut and safe to print on a terminal.

    >>> print(shown("a\x1b[2Jb"))
    'a\x1b[2Jb'
    """
    # repr escapes control characters and lone surrogates and keeps letters of any script
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}..."


def named(text: str) -> str:
    """An id or CUI as it is where it is plain, else as `shown` gives it."""
    return text if _PLAIN.fullmatch(text) else shown(text)
