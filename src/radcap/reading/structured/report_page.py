"""The report as a page that is one file, to be read on a screen and printed.

Invariant: nothing is fetched and nothing runs; the picture has its words, and no text of others is markup.
"""

from __future__ import annotations

import base64
from importlib.resources import files
from typing import TYPE_CHECKING

from radcap.captioning.grammar import Role
from radcap.reading.structured.impression import NO_FINDING, with_certainty
from radcap.reading.telling import kind_of, percent
from radcap.reading.values import RESEARCH_ONLY
from radcap.report.html import facts_list, page, section
from radcap.report.markup import Markup, element, joined, void
from radcap.report.names import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.reading.structured.values import EvidencePicture, Nearest, StructuredReport, Supported

__all__ = ["report_page"]

_UNKNOWN = "not decided for"
_TITLE = 60  # letters of a name in the title; the whole name stands below it


def report_page(report: StructuredReport) -> str:
    """The whole document."""
    left = element(
        "div",
        section("technique", "Technique", element("p", report.technique)),
        section("findings", "Findings", _findings(report.findings)),
        section("impression", "Impression", *(element("p", one) for one in report.impression)),
    )
    evidence = section("evidence", "Evidence", _figure(report.picture), *_nearest(report.nearest))
    limits = section("limits", "Limits", element("ul", *(element("li", one) for one in report.limits)))
    return page(
        f"Radiology reading of {shortened(report.image or 'an image', _TITLE)}",
        _header(report),
        element("div", left, evidence, limits, class_="report"),
        more_style=files("radcap.reading.structured").joinpath("report.css").read_text("utf-8"),
    )


def _header(report: StructuredReport) -> Markup:
    issued = [("Issued", report.issued.isoformat())] if report.issued is not None else []
    source = [("Source", report.attribution)] if report.attribution else []
    facts = [
        ("Image", report.image or "without a name"),
        ("Modality", _listed(report.modalities)),
        ("Region", _listed(report.regions)),
        ("View", _listed(report.views)),
        ("Status", "preliminary"),
        ("Model", report.model),
        *issued,
        *source,
    ]
    return element("div", element("p", RESEARCH_ONLY, class_="warning"), facts_list(facts))


def _listed(found: Sequence[Supported]) -> str:
    told = [joined([with_certainty(one), " ", element("code", one.cui)]) for one in found]
    return joined(told, "; ") if told else _UNKNOWN


def _findings(found: Sequence[Supported]) -> Markup:
    if not found:
        return element("p", NO_FINDING)
    return element("ol", *map(_finding, found), class_="findings")


def _finding(one: Supported) -> Markup:
    kind = f" {kind_of(one.role)}" if one.role is Role.OTHER else ""
    return element(
        "li",
        element("p", element("strong", one.name), " ", element("code", one.cui), kind),
        _likely(one),
        element("p", f"Place: {one.place}.") if one.place else "",
        element("p", f"{one.note[:1].upper()}{one.note[1:]}.", class_="legend") if one.note else "",
    )


def _likely(one: Supported) -> Markup:
    """A bar and the same in words."""
    if one.p is None:
        return element("p", f"{one.certainty}; this model tells no probability of it")
    told = f"{one.certainty}, {percent(one.p)}"
    bar = element("meter", min=0, max=1, value=round(one.p, 4), aria_hidden="true")
    return element("p", bar, " ", told, class_="likely")


def _figure(picture: EvidencePicture) -> Markup:
    address = f"data:{picture.kind};base64,{base64.b64encode(picture.data).decode('ascii')}"
    image = void("img", src=address, alt=picture.about, width=picture.width, height=picture.height)
    return element("figure", image, element("figcaption", picture.about))


def _nearest(nearest: Sequence[Nearest]) -> list[Markup]:
    if not nearest:
        return []
    return [
        element("h3", "Nearest training images"),
        element("ul", *map(_case, nearest), class_="nearest"),
    ]


def _case(one: Nearest) -> Markup:
    shared = f", shares {', '.join(one.shared)}" if one.shared else ""
    told = f", similarity {one.similarity:.2f}{shared}"
    return element("li", element("code", one.image), told, element("p", f"{one.origin}.", class_="legend"))
