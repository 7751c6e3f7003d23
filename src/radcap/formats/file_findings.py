"""The list of findings in several files of one thing (a dataset, a vocabulary), filled while it is read.

Invariant: every finding is counted; the first thousand of a code are kept, and its first error wherever it
stands. Nothing here stops a reader.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from radcap.core import InputError, Issue, Level
from radcap.core.counts import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from radcap.formats.codes import Code

__all__ = ["FileFindings", "Finding", "plain_level"]

_LEVELS = {"E": Level.ERROR, "W": Level.WARNING, "I": Level.INFO}


@dataclass(frozen=True, slots=True)
class Finding:
    """An issue and the file it is in; no file means the whole."""

    file: str
    issue: Issue

    def __str__(self) -> str:
        return f"{self.file}:{self.issue}" if self.file else str(self.issue)

    def to_json(self) -> dict[str, str | int]:
        return {"file": self.file, **self.issue.to_json()}


class FileFindings:
    """Findings of one catalogue in the order they are made, counted by code."""

    def __init__(self, codes: Mapping[str, Code], kept_per_code: int = 1000) -> None:
        self._codes = codes
        self.counts: Counter[str] = Counter()
        self._kept_per_code = kept_per_code
        self._kept: list[Finding] = []
        self._kept_of: Counter[str] = Counter()
        self._refused: set[str] = set()  # codes of which an error is kept

    def add(self, code: str, file: str = "", line: int = 0, column: int = 0, /, **fields: object) -> None:
        """Count a finding and keep it while there is room."""
        self.counts[code] += 1
        if self._has_room(code, plain_level(self._codes[code])):
            self._keep(self._finding(code, file, line, column, fields))

    def add_each(
        self,
        code: str,
        places: Sequence[int],
        fields: Callable[[int], Mapping[str, object]],
        file: Callable[[int], str] | None = None,
    ) -> None:
        """One finding for each place; its fields and its file are asked for only while there is room."""
        if places:
            self.counts[code] += len(places)
        level = plain_level(self._codes[code])
        for place in places:
            if not self._has_room(code, level):
                return
            self._keep(self._finding(code, file(place) if file else "", 0, 0, fields(place)))

    def take(self, file: str, issues: Iterable[Issue], counts: Mapping[str, int]) -> None:
        """Findings of the run-file reader, which label files share."""
        self.extend((Finding(file, issue) for issue in issues), counts)

    def extend(self, findings: Iterable[Finding], counts: Mapping[str, int]) -> None:
        """What another list holds."""
        self.counts.update(counts)
        for one in findings:
            if self._has_room(one.issue.code, one.issue.level):
                self._keep(one)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(self._kept)

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(one for one in self._kept if one.issue.level is Level.ERROR)

    def refuse(self, path: str) -> None:
        """Raise the errors, if there are any, with the first as the sentence to show."""
        errors = self.errors
        if errors:
            others = sum(self.counts[code] for code in self._refused) - 1
            more = f" ({counted(others, 'more finding')})" if others else ""
            issues = tuple(replace(one.issue, message=_placed(one)) for one in errors)
            raise InputError(
                f"{path} cannot be opened: {issues[0].message} {issues[0].hint}{more}", issues, path
            )

    def _finding(self, code: str, file: str, line: int, column: int, fields: Mapping[str, object]) -> Finding:
        entry = self._codes[code]
        message, hint = entry.message.format(**fields), entry.hint.format(**fields)
        return Finding(file, Issue(code, plain_level(entry), line, column, message, hint))

    def _has_room(self, code: str, level: Level) -> bool:
        first_error = level is Level.ERROR and code not in self._refused
        return first_error or self._kept_of[code] < self._kept_per_code

    def _keep(self, one: Finding) -> None:
        self._kept_of[one.issue.code] += 1
        if one.issue.level is Level.ERROR:
            self._refused.add(one.issue.code)
        self._kept.append(one)


def _placed(one: Finding) -> str:
    return f"{one.file}: {one.issue.message}" if one.file else one.issue.message


def plain_level(code: Code) -> Level:
    """How grave a finding is that no edition makes graver."""
    return _LEVELS[code.levels]
