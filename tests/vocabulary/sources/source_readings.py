"""What tests of sources share: read a file, and see names and findings as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.vocabulary.concepts import cui_text, type_text
from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import Input

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.vocabulary.drafts import Draft
    from radcap.vocabulary.sources import Reading, SourceReader

__all__ = ["codes", "lines", "names", "parents", "read", "silent", "types", "write"]


def silent(_: str, __: int) -> None:
    """Nobody listens."""


def write(path: Path, text: str | bytes) -> Path:
    """A file with that content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(reader: SourceReader, path: Path, **said: Any) -> tuple[Reading, Findings]:
    """What a reader makes of a file."""
    findings = Findings()
    return reader(Input(path, **said), findings, silent), findings


def codes(findings: Findings) -> list[tuple[str, int]]:
    """Every finding as code and line."""
    return [(one.issue.code, one.issue.line) for one in findings.findings]


def lines(findings: Findings, code: str) -> list[int]:
    return [line for found, line in codes(findings) if found == code]


def names(draft: Draft) -> dict[str, list[str]]:
    """The names of each concept, the best first."""
    rows = sorted(draft.names.to_pylist(), key=lambda row: (row["cui"], row["rank"]))
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(cui_text(row["cui"]), []).append(row["name"])
    return found


def types(draft: Draft) -> set[tuple[str, str]]:
    return {(cui_text(row["cui"]), type_text(row["type"])) for row in draft.types.to_pylist()}


def parents(draft: Draft) -> set[tuple[str, str]]:
    return {(cui_text(row["cui"]), cui_text(row["parent"])) for row in draft.parents.to_pylist()}
