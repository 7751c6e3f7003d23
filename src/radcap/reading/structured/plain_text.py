"""The report as plain text, 80 columns wide.

Invariant: sections always come in the same order, none is empty, and no line is longer than 80 letters.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from radcap.reading.structured.impression import NO_FINDING
from radcap.reading.telling import percent
from radcap.reading.values import RESEARCH_ONLY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from radcap.reading.structured.values import Nearest, StructuredReport, Supported

__all__ = ["SEPARATOR", "plain_text"]

_WIDTH = 80
_INDENT = "  "
_NAMES = 12  # letters of the longest name of a fact, and blanks after it
SEPARATOR = f"\n{'=' * _WIDTH}\n\n"  # between several reports
_UNKNOWN = "not decided for"


def plain_text(report: StructuredReport) -> str:
    """The whole report, with a line break at its end."""
    issued = [] if report.issued is None else [f"Issued {report.issued.isoformat()}"]
    parts = {
        "EXAMINATION": list(_examination(report)),
        "TECHNIQUE": _wrapped(report.technique),
        "FINDINGS": list(_findings(report.findings)),
        "IMPRESSION": [line for one in report.impression for line in _wrapped(one)],
        "EVIDENCE": list(_evidence(report)),
        "LIMITS": [line for one in report.limits for line in _wrapped(one, "- ")],
    }
    head = ["RADIOLOGY READING BY A MODEL, PRELIMINARY", RESEARCH_ONLY, *issued]
    body = [line for name, lines in parts.items() for line in ("", name, *lines)]
    return "\n".join([*head, *body]) + "\n"


def _wrapped(text: str, mark: str = "") -> list[str]:
    further = _INDENT + " " * len(mark)
    return textwrap.wrap(
        text, _WIDTH, initial_indent=_INDENT + mark, subsequent_indent=further, break_on_hyphens=False
    )


def _fact(name: str, value: str) -> list[str]:
    return _wrapped(value, name.ljust(_NAMES))


def _examination(report: StructuredReport) -> Iterator[str]:
    yield from _fact("Image", report.image or "without a name")
    if report.attribution:
        yield from _fact("Source", report.attribution)
    kinds = {"Modality": report.modalities, "Region": report.regions, "View": report.views}
    for name, found in kinds.items():
        yield from _fact(name, "; ".join(map(_told, found)) or _UNKNOWN)


def _told(one: Supported) -> str:
    number = "" if one.p is None else f", {percent(one.p)}"
    return f"{one.name} [{one.cui}], {one.certainty}{number}"


def _findings(found: Sequence[Supported]) -> Iterator[str]:
    for number, one in enumerate(found, 1):
        mark = f"{number}. "
        yield from _wrapped(_told(one), mark)
        for detail in _details(one):
            yield from _wrapped(detail, " " * len(mark))
    if not found:
        yield from _wrapped(NO_FINDING)


def _details(one: Supported) -> Iterator[str]:
    if one.place:
        yield f"Place: {one.place}."
    if one.note:
        yield f"Note: {one.note}."


def _evidence(report: StructuredReport) -> Iterator[str]:
    yield from _wrapped(f"Picture (in the other forms of this report): {report.picture.about}")
    if report.nearest:
        yield from _wrapped("Nearest training images:")
    yield from _cases(report.nearest)


def _cases(nearest: Iterable[Nearest]) -> Iterator[str]:
    for one in nearest:
        shared = f"; shares {', '.join(one.shared)}" if one.shared else ""
        yield from _wrapped(f"{one.image}, similarity {one.similarity:.2f}{shared}. {one.origin}.", "- ")
