"""Findings as people and programs read them: one line each, or annotations for a build server.

Invariant: an issue is one line, never wrapped; at most twenty of a code are printed, the rest is counted.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from radcap.core import VERSION, Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from radcap.core import Issue
    from radcap.formats.validation import Validation

__all__ = ["SHOWN_PER_CODE", "github_lines", "issue_lines", "sarif"]

SHOWN_PER_CODE = 20
_SARIF_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}
_ANNOTATIONS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def issue_lines(
    path: str,
    issues: Sequence[Issue],
    counts: Mapping[str, int] | None = None,
    *,
    files: Sequence[str] = (),
    shown_per_code: int = SHOWN_PER_CODE,
    paint: Callable[[Level, str], str] = lambda _, text: text,
) -> Iterator[str]:
    """`file:line:column: CODE message`, then how many more there are of each code.

    `files` names the file of each issue where they are in several; one without is in `path`. `paint` may show
    the level of an issue where there are colours.
    """
    printed: Counter[str] = Counter()
    chosen: set[int] = set()
    # the errors of a code come before its warnings when there is no room for all
    for place in sorted(range(len(issues)), key=lambda place: issues[place].level is not Level.ERROR):
        if printed[issues[place].code] < shown_per_code:
            printed[issues[place].code] += 1
            chosen.add(place)
    for place in sorted(chosen):
        file = (files and files[place]) or path
        yield paint(issues[place].level, f"{file}:{issues[place]}")
    for code, n in (counts or Counter(issue.code for issue in issues)).items():
        if n > printed[code]:
            yield paint(Level.INFO, f"{path}: {code} {n - printed[code]:,} more")


def github_lines(found: Validation) -> Iterator[str]:
    """Workflow commands that a GitHub build shows beside the file."""
    for issue in found.issues:
        kind = _ANNOTATIONS[issue.level]
        place = f"file={_property(found.path)}"
        if issue.line:
            place += f",line={issue.line},col={issue.column}"
        yield f"::{kind} {place},title={issue.code}::{_data(_sentence(issue))}"


def sarif(found: Validation) -> dict[str, Any]:
    """The findings as a SARIF 2.1.0 log, which editors and code hosts show beside the lines."""
    codes = sorted({issue.code for issue in found.issues})
    driver = {"name": "radcap", "version": VERSION, "rules": [{"id": code} for code in codes]}
    results = [_sarif_result(found.path, issue) for issue in found.issues]
    return {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _sarif_result(path: str, issue: Issue) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(path, errors="surrogateescape")}}
    if issue.line:
        place["region"] = {"startLine": issue.line, "startColumn": issue.column}
    return {
        "ruleId": issue.code,
        "level": _SARIF_LEVELS[issue.level],
        "message": {"text": _sentence(issue)},
        "locations": [{"physicalLocation": place}],
    }


def _sentence(issue: Issue) -> str:
    return f"{issue.message} {issue.hint}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
