"""Training images that are near, small, with whose they are.

Invariant: a case is never shown without its licence and author, or the words that they are not stated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.reading.page.pictures import picture_address
from radcap.reading.telling import origin_of
from radcap.report.markup import Markup, element, joined, void
from radcap.report.names import several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.values import Case

__all__ = ["near_cases"]

_SIDE = 96
_UNSTATED = "Author and licence not stated"


def near_cases(cases: Sequence[Case]) -> Markup:
    """Nothing where there are none."""
    if not cases:
        return Markup("")
    heading = element("h3", "Nearest training images")
    return joined([heading, element("ul", *map(_case, cases), class_="near")])


def _case(case: Case) -> Markup:
    source = f" ({case.caption_source} caption)" if case.caption and case.caption_source else ""
    shared = f" Shares {several(list(case.concepts))}." if case.concepts else ""
    words = element(
        "div",
        element("p", element("code", case.image), f" similarity {case.similarity:.2f}.{shared}"),
        *([element("p", f"{case.caption}{source}")] if case.caption else []),
        element("p", f"{(origin_of(case) or _UNSTATED).rstrip('.')}.", class_="credit"),
    )
    return element("li", *_picture(case), words)


def _picture(case: Case) -> list[Markup]:
    if case.picture is None:
        return []
    address = picture_address(case.picture, _SIDE)
    height, width = case.picture.shape[:2]
    alt = f"Training image {case.image}"
    return [void("img", src=address, alt=alt, width=width, height=height, loading="lazy", decoding="async")]
