"""The catalogue of findings in system files: SYS1 about the file, SYS2 about its keys, SYS3 about members.

Invariant: a code is never reused and its meaning never changes; new ones are appended.
A message says what was read and why it is refused, the hint says what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from radcap.core.counts import counted
from radcap.core.errors import InputError
from radcap.core.issues import Issue, Level

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CATALOGUE", "CODES", "TableCode", "refusal", "table_issue"]


class TableCode(NamedTuple):
    """One kind of finding; all of them are errors."""

    code: str
    message: str
    hint: str
    levels: str = "E"


CATALOGUE = (
    # the file
    TableCode("SYS101", "It cannot be read: {why}.", "Check the path."),
    TableCode("SYS102", "Byte {byte} is no UTF-8.", "Save the file as UTF-8."),
    TableCode("SYS103", "It is no TOML: {why}.", "Correct the line."),
    TableCode("SYS104", "It has more than {limit:,} bytes. No system is that long.", "Is it the right file?"),
    # keys
    TableCode("SYS201", "{place} has no key {key}.{nearest}", "Known: {known}."),
    TableCode("SYS202", "{place} lacks the key {key}.", "Write it: {wanted} is needed."),
    TableCode("SYS203", "{place} {key} is {value}. {wanted} is needed.", "Correct it."),
    TableCode("SYS204", "{place} {key} is {value}.{nearest}", "Known: {known}."),
    TableCode("SYS205", "{place}: {why}", ""),
    # members of an ensemble
    TableCode(
        "SYS301",
        "Member {n} names the file {file} and has tables of its own: {tables}. It is one or the other.",
        "Delete either.",
    ),
    TableCode("SYS302", "Member {n} cannot be had: {why}", ""),
    TableCode(
        "SYS303",
        "Member {n} is {file}, which has members itself. One level of them is read.",
        "Name its members here.",
    ),
    TableCode(
        "SYS304",
        "Member {n} is {file}, which leads back to this file. An ensemble cannot be a part of itself.",
        "Name a system without members, or members that end.",
    ),
)
CODES: Mapping[str, TableCode] = {code.code: code for code in CATALOGUE}


def table_issue(code: str, line: int = 0, column: int = 0, /, **fields: object) -> Issue:
    """The finding of a code."""
    entry = CODES[code]
    message, hint = entry.message.format(**fields), entry.hint.format(**fields)
    return Issue(code, Level.ERROR, line, column, message.strip(), hint)


def refusal(path: str, issues: tuple[Issue, ...]) -> InputError:
    """The error of a file that is refused, with the first finding as the sentence to show."""
    first, *others = issues
    named = f"{path} cannot be used: " if path else ""
    line = f"line {first.line}: " if first.line else ""
    more = f" ({counted(len(others), 'more finding')})" if others else ""
    return InputError(f"{named}{line}{first.message} {first.hint}".rstrip() + more, issues, path)
