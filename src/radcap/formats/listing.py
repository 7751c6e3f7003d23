"""Findings as people and programs read them: one line each, or annotations for a build server.

Invariant: an issue is one line, never wrapped; at most twenty of a code are printed, the rest is counted.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from radcap.core import Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.core import Issue
    from radcap.formats.validation import Validation

__all__ = ["SHOWN_PER_CODE", "github_lines", "issue_lines"]

SHOWN_PER_CODE = 20
_ANNOTATIONS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def issue_lines(
    path: str,
    issues: Sequence[Issue],
    counts: Mapping[str, int] | None = None,
    *,
    shown_per_code: int = SHOWN_PER_CODE,
) -> Iterator[str]:
    """`file:line:column: CODE message`, then how many more there are of each code."""
    printed: Counter[str] = Counter()
    for issue in issues:
        printed[issue.code] += 1
        if printed[issue.code] <= shown_per_code:
            yield f"{path}:{issue}"
    for code, n in (counts or printed).items():
        rest = n - min(printed[code], shown_per_code)
        if rest:
            yield f"{path}: {code} {rest:,} more"


def github_lines(found: Validation) -> Iterator[str]:
    """Workflow commands that a GitHub build shows beside the file."""
    for issue in found.issues:
        kind = _ANNOTATIONS[issue.level]
        place = f"file={_property(found.path)}"
        if issue.line:
            place += f",line={issue.line},col={issue.column}"
        yield f"::{kind} {place},title={issue.code}::{_data(_sentence(issue))}"


def _sentence(issue: Issue) -> str:
    return f"{issue.message} {issue.hint}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
