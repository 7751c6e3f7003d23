"""The words of a FHIR report, as the small part of XHTML that FHIR allows.

Invariant: well-formed XML in its namespace, without attributes of any other kind, address or script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.reading.structured.impression import with_certainty
from radcap.reading.values import RESEARCH_ONLY
from radcap.report.markup import element

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.reading.structured.values import StructuredReport
    from radcap.report.markup import Markup

__all__ = ["narrative"]

_XHTML = "http://www.w3.org/1999/xhtml"


def narrative(report: StructuredReport) -> str:
    """What a person must be able to read without the data."""
    shown = [with_certainty(one) for one in report.supported]
    return element(
        "div",
        element("p", element("b", RESEARCH_ONLY)),
        element("p", f"Image {report.image}. {report.technique}"),
        *_list("Decided for", shown),
        *_list("Impression", report.impression),
        *_list("Limits", report.limits),
        xmlns=_XHTML,
    )


def _list(heading: str, lines: Iterable[str]) -> list[Markup]:
    items = [element("li", line) for line in lines]
    return [element("h3", heading), element("ul", *items)] if items else []
