"""The forms that a report has, by name.

Invariant: every form is made from the same `StructuredReport`, so none says what another does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import unknown_name
from radcap.reading.structured.composing import structured_report
from radcap.reading.structured.diagnostic_report import diagnostic_report
from radcap.reading.structured.plain_text import plain_text
from radcap.reading.structured.report_json import report_json
from radcap.reading.structured.report_page import report_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from radcap.reading.structured.values import StructuredReport
    from radcap.reading.values import Reading

__all__ = ["ENDINGS", "FORMATS", "report_of"]

_FORMS: Mapping[str, Callable[[StructuredReport], str]] = {
    "text": plain_text,
    "html": report_page,
    "json": report_json,
    "fhir": diagnostic_report,
}
FORMATS = tuple(_FORMS)
ENDINGS: Mapping[str, str] = {"text": ".txt", "html": ".html", "json": ".json", "fhir": ".fhir.json"}


def report_of(reading: Reading, fmt: str, *, issued: datetime | None = None) -> str:
    """The report of a reading in one of `FORMATS`; `issued` is when it was, if that shall be told."""
    if fmt not in _FORMS:
        raise unknown_name("form of a report", fmt, FORMATS)
    return _FORMS[fmt](structured_report(reading, issued=issued))
