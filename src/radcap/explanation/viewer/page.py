"""Explanations as one HTML file: choose a word, see where in the image it comes from.

Invariant: nothing is fetched and no text of others is ever markup or script; without a script every image is
still there with its first map and all words.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from radcap.explanation.pictures.sentences import (
    DISCLAIMER,
    NOTHING,
    origin_sentence,
    sanity_sentence,
    warnings,
)
from radcap.explanation.rationale.nearest import NEAREST
from radcap.explanation.values import Origin
from radcap.explanation.viewer.caption import statement_buttons
from radcap.explanation.viewer.cases import case_list
from radcap.explanation.viewer.controls import KEYS, controls, thumbnails
from radcap.explanation.viewer.details import details
from radcap.explanation.viewer.encoding import picture_address
from radcap.explanation.viewer.key import colour_style, reading_key
from radcap.explanation.viewer.stage import stage
from radcap.explanation.viewer.statements import first_statement, statements
from radcap.report.html import page
from radcap.report.key_help import help_dialog, help_style
from radcap.report.markup import Markup, element, joined
from radcap.report.names import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.explanation.values import Explanation

__all__ = ["Viewer", "viewer_page"]

_THUMBNAIL = 72


def viewer_page(explanations: Iterable[Explanation], title: str = "Explanations") -> str:
    """The page of all explanations, one image in sight at a time."""
    viewer = Viewer()
    for one in explanations:
        viewer.add(one)
    return viewer.page(title)


class Viewer:
    """Takes explanations one by one and keeps their markup alone, so that maps can be forgotten."""

    def __init__(self) -> None:
        self.images: list[Markup] = []
        self.small: list[tuple[str, str]] = []

    def add(self, explanation: Explanation) -> None:
        self.small.append((explanation.image, picture_address(explanation.picture, _THUMBNAIL)))
        self.images.append(_image(explanation, len(self.images) + 1))

    def page(self, title: str = "Explanations", note: str = "") -> str:
        """The page of all that were added; `note` stands below its title."""
        return _page(title, note, self.images, self.small)


def _page(title: str, note: str, images: Sequence[Markup], small: Sequence[tuple[str, str]]) -> str:
    here = files("radcap.explanation.viewer")
    told = element("p", f"{counted(len(images))}. {DISCLAIMER}. {note}".strip(), class_="summary")
    return page(
        title,
        joined([told, thumbnails(small)]),
        controls(len(images)) if images else element("p", "There is no image to show."),
        *images,
        element("p", class_="said", role="status", aria_live="polite", id="told"),
        help_dialog(KEYS),
        more_style=here.joinpath("viewer.css").read_text("utf-8") + help_style() + colour_style(),
        script=here.joinpath("viewer.js").read_text("utf-8"),
    )


def _image(explanation: Explanation, place: int) -> Markup:
    made = statements(explanation, place)
    first = first_statement(explanation, made)
    left = element("div", stage(explanation, made, first), *_under(explanation), class_="look")
    right = element(
        "div",
        statement_buttons(explanation.caption, made, first),
        *(details(one, shown=one is first) for one in made),
        class_="say",
    )
    heading = element("h2", element("code", explanation.image), " ", _badge(explanation), id=f"image-{place}")
    below = element("div", *_rationale(explanation), case_list(explanation.cases), *_trust(explanation))
    body = element("div", left, right, class_="two")
    return element("section", heading, *_warned(explanation), body, below, class_="image")


def _badge(explanation: Explanation) -> Markup:
    if explanation.origin is Origin.EXTERNAL:
        return element("span", "external", class_="origin external")
    return element("span", "computed from the model", class_="origin")


def _warned(explanation: Explanation) -> list[Markup]:
    nothing = [] if any(one.map is not None for one in explanation.evidence) else [NOTHING]
    return [element("p", text, class_="warning") for text in [*warnings(explanation), *nothing]]


def _under(explanation: Explanation) -> list[Markup]:
    """What stands below the picture: whose it is, and how to read what lies over it."""
    credit = [element("p", explanation.attribution, class_="credit")] if explanation.attribution else []
    return [*credit, reading_key()]


def _rationale(explanation: Explanation) -> list[Markup]:
    if not explanation.rationale.strip():
        return []
    told = explanation.rationale.split(NEAREST)[0] if explanation.cases else explanation.rationale
    lines = [
        element("p", line) for line in told.splitlines() if line.strip()
    ]  # cases have a place of their own
    return [element("h3", "Why"), *lines]


def _trust(explanation: Explanation) -> list[Markup]:
    """By which method, from which model, and whether the method passes its check."""
    told = [
        f"Method: {explanation.method}. {origin_sentence(explanation)}.",
        sanity_sentence(explanation.sanity),
    ]
    notes = [element("li", note) for note in explanation.notes]
    return [
        element("h3", "How far to trust this"),
        *(element("p", one) for one in told),
        *([element("ul", *notes)] if notes else []),
    ]
