"""The concepts of a reading as rows: what kind it is, its name, a bar, and how likely it is in words.

Invariant: the order is that of the reading, modality first; a concept without any evidence is a row, and one
with evidence is a button, also where the evidence says why there is no map.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from radcap.reading.page.maps import map_code
from radcap.reading.page.whence import concept_line
from radcap.reading.telling import certainty, kind_of, percent
from radcap.report.markup import Markup, element, joined, void

if TYPE_CHECKING:
    from radcap.core import Cui
    from radcap.explanation.values import Evidence
    from radcap.reading.values import Reading, Seen

__all__ = ["concept_rows", "statement_button"]


def concept_rows(reading: Reading) -> Markup:
    """A list for each kind of concept."""
    if not reading.concepts:
        return element("p", element("em", "No concept was found likely enough to tell."))
    groups = groupby(reading.concepts, key=lambda one: kind_of(one.role))
    parts = [
        element("div", element("dt", kind), element("dd", *(_row(one, reading) for one in ones)))
        for kind, ones in groups
    ]
    return element("dl", *parts, class_="seen")


def _row(one: Seen, reading: Reading) -> Markup:
    parts = joined([element("span", one.name, class_="name"), *_chance(one)])
    found = _evidence(reading, one.cui)
    if found is None:
        return element("span", parts, class_="one", title=one.cui)
    return statement_button(parts, found, concept_line(one, found), "one", one.cui)


def _evidence(reading: Reading, cui: Cui) -> Evidence | None:
    """Its own evidence, else that of the words of the caption that name it."""
    named = (one for one in reading.evidence if one.cui == cui)
    return reading.evidence_of(cui) or next(named, None)


def _chance(one: Seen) -> list[Markup]:
    told = element("span", certainty(one.p), class_="sure")
    if one.p is None:
        return [told]
    bar = void("rect", width=f"{100 * min(max(one.p, 0.0), 1.0):.0f}", height="8")
    drawn = element(
        "svg", bar, class_="bar", viewBox="0 0 100 8", preserveAspectRatio="none", aria_hidden="true"
    )
    return [drawn, told, element("span", percent(one.p), class_="chance")]


def statement_button(
    inner: Markup, found: Evidence, line: str, kind: str, title: str | None = None
) -> Markup:
    """What the script acts on: the line that is said and the map that is drawn, where there is one."""
    bare = "" if found.map is not None else " bare"
    return element(
        "button",
        inner,
        type="button",
        class_=f"{kind}{bare}",
        title=title,
        data_line=line,
        data_map=None if found.map is None else map_code(found.map),
        aria_pressed="false",
    )
