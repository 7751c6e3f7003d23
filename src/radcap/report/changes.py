"""The images on which two runs differ most, as cards: truth, both predictions, both scores.

Invariant: a difference is the second run less the first; only an image that lies inside the page is shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.core import NAMES
from radcap.report.concept_chips import concept_chips, is_concepts, true_chips
from radcap.report.markup import Markup, element, joined, void
from radcap.report.tables import digits
from radcap.report.word_diff import caption, word_diff

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Change", "change_card", "change_groups"]

# Pictures made of dots: an SVG can hold more than a picture.
_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")


@dataclass(frozen=True, slots=True)
class Change:
    """One image under two runs: per-image scores, and the cells as they were handed in."""

    id: str
    first: float
    second: float
    truth: str
    first_text: str
    second_text: str
    image: str | None = None  # a data: address

    @property
    def difference(self) -> float:
        return self.second - self.first


def change_groups(
    changes: Sequence[Change], names: tuple[str, str], concept_names: Mapping[str, str] = NAMES
) -> Markup:
    """Cards of what became better and what became worse, each in the order given, and how to read them."""
    first, second = names
    better = [one for one in changes if one.difference > 0]
    worse = [one for one in changes if one.difference < 0]
    groups = [
        (f"Improved most: {second} scores higher than {first}", better),
        (f"Worsened most: {second} scores lower than {first}", worse),
    ]
    drawn = [
        joined([element("h3", heading), *(change_card(one, names, concept_names) for one in members)])
        for heading, members in groups
        if members
    ]
    return joined([_legend(changes), *drawn])


def _legend(changes: Sequence[Change]) -> str:
    if all(is_concepts(one.truth, one.first_text, one.second_text) for one in changes):
        return element("p", "\u2713 hit, \u2717 wrong, \u25cb missed.", class_="legend")
    return element(
        "p", "Words that are ", element("mark", "underlined"), " stand in the truth.", class_="legend"
    )


def change_card(change: Change, names: tuple[str, str], concept_names: Mapping[str, str] = NAMES) -> Markup:
    """One image: what is true, what each run says, what each earns for it."""
    known = concept_names if is_concepts(change.truth, change.first_text, change.second_text) else None
    truth = caption(change.truth) if known is None else true_chips(change.truth, known)
    first, second = names
    sides = [
        _prediction(first, change.first, _drawn(change.first_text, change.truth, known)),
        _prediction(second, change.second, _drawn(change.second_text, change.truth, known)),
    ]
    words = element("div", element("h5", "Truth"), element("div", truth), class_="truth")
    body = element("div", words, element("div", *sides, class_="sides"), class_="words")
    card = element("div", *_picture(change, concepts=known is not None), body, class_="card")
    return element("article", _heading(change), card)


def _heading(change: Change) -> Markup:
    sign = element("span", "\u25b2" if change.difference > 0 else "\u25bc", aria_hidden="true")
    gain = element("span", sign, f" {change.difference:+.6f}", class_="gain")
    return element("h4", element("code", change.id), " ", gain)


def _drawn(text: str, truth: str, names: Mapping[str, str] | None) -> Markup:
    return word_diff(text, truth) if names is None else concept_chips(text, truth, names)


def _prediction(name: str, score: float, drawn: Markup) -> Markup:
    heading = element("h5", element("bdi", name), " ", element("span", digits(score), class_="score"))
    return element("div", heading, element("div", drawn))


def _picture(change: Change, *, concepts: bool) -> list[Markup]:
    if change.image is None or not _IMAGE.fullmatch(change.image):
        return []
    alt = f"Image {change.id}" if concepts else change.truth
    return [void("img", src=change.image, alt=alt or f"Image {change.id}")]
