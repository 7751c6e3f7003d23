"""Training images that are near, with whose they are.

Invariant: a picture is never shown without its licence and author, or the words that they are not stated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.viewer.encoding import picture_address
from radcap.report.markup import Markup, element, joined, void
from radcap.report.names import several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.values import Case

__all__ = ["case_list"]

_SIDE = 160


def case_list(cases: Sequence[Case]) -> Markup:
    """Nothing where there are none."""
    if not cases:
        return Markup("")
    return joined(
        [element("h3", "Nearest training images"), element("ul", *map(_case, cases), class_="cases")]
    )


def _case(case: Case) -> Markup:
    source = f" ({case.caption_source})" if case.caption_source else ""
    credit = f"{case.licence or 'licence not stated'}. {case.attribution or 'author not stated'}."
    return element(
        "li",
        *_picture(case),
        element("p", element("code", case.image), f" similarity {case.similarity:.2f}"),
        element("p", f"{case.caption}{source}") if case.caption else "",
        element("p", f"Shares {several(list(case.concepts))}.") if case.concepts else "",
        element("p", credit, class_="credit"),
    )


def _picture(case: Case) -> list[Markup]:
    if case.picture is None:
        return []
    address = picture_address(case.picture, _SIDE)
    return [void("img", src=address, alt=f"Training image {case.image}", loading="lazy", decoding="async")]
