"""One reading as a part of a page: the picture, what was seen in it, and where each word comes from.

`CARD_STYLE` needs the colours of `radcap.report.html.page`. `CARD_SCRIPT` wakes every card of the document;
one that arrives later is woken by `window.radcapReading.attach(element)`.

Invariant: a card fetches nothing, and no text of others is markup or script; without a script the picture,
all words and all figures are there, without maps.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.pictures.colours import AGAINST, FOR
from radcap.reading.page.caption_words import caption_words
from radcap.reading.page.concept_rows import concept_rows
from radcap.reading.page.near_cases import near_cases
from radcap.reading.page.pictures import picture_address
from radcap.reading.telling import radiology_sentence
from radcap.report.markup import Markup, element, joined, void

if TYPE_CHECKING:
    from radcap.explanation.pictures.colours import Scale
    from radcap.reading.values import Reading

__all__ = ["CARD_SCRIPT", "CARD_STYLE", "NO_MODALITY", "card", "page_file"]

NO_MODALITY = "not told"
_SIDE = 320
_STEPS = 64  # of each colour scale
_HINT = (
    "Choose a word or a concept to see where in the image it comes from:"
    " what is warm speaks for it, what is blue against it."
)
_NO_MAPS = "Maps were not asked for."
_NOTHING = "Nothing was said that could be shown in the image."


def page_file(name: str) -> str:
    """A style or a script of this package."""
    return files("radcap.reading.page").joinpath(name).read_text("utf-8")


def _colours(scale: Scale) -> str:
    return scale(np.linspace(0, 1, _STEPS)).tobytes().hex()


CARD_STYLE = page_file("card.css")
CARD_SCRIPT = (
    page_file("card.js").replace("COLOURS-FOR", _colours(FOR)).replace("COLOURS-AGAINST", _colours(AGAINST))
)


def card(reading: Reading, number: int) -> Markup:
    """The reading as one `<article class="reading">`; `number` tells it from others of the page."""
    heading = element(
        "h2",
        element("a", str(number), href=f"#reading-{number}", class_="number"),
        " ",
        element("code", reading.image),
        id=f"reading-{number}-name",
    )
    return element(
        "article",
        heading,
        element("div", _look(reading), _say(reading), class_="parts"),
        class_="reading",
        id=f"reading-{number}",
        tabindex="-1",
        aria_labelledby=f"reading-{number}-name",
        data_modality=NO_MODALITY if reading.modality is None else reading.modality.name,
        data_findings=str(len(reading.findings)),
    )


def _look(reading: Reading) -> Markup:
    """The picture, the line that says whence a statement comes, and whose the picture is."""
    height, width = reading.picture.shape[:2]
    raw = void(
        "img",
        src=picture_address(reading.picture, _SIDE),
        alt=f"Image {reading.image}",
        width=width,
        height=height,
        loading="lazy",
        decoding="async",
    )
    canvas = element("canvas", width="1", height="1", hidden="hidden", role="img")
    hint = _HINT if reading.evidence else _NOTHING if reading.method else _NO_MAPS
    line = element("p", hint, class_="line", role="status")
    credit = [element("p", f"Image: {reading.attribution}", class_="credit")] if reading.attribution else []
    stage = element("div", raw, canvas, class_="stage")
    return element("div", stage, *(_controls() if reading.evidence else []), line, *credit, class_="look")


def _controls() -> list[Markup]:
    slider = void(
        "input", type="range", min="0", max="100", step="5", value="65", aria_label="Opacity of the map"
    )
    clear = element("button", "Clear", type="button", class_="clear", title="Take the map away (key Escape)")
    return [element("div", element("label", "Map ", slider), clear, class_="over scripted")]


def _say(reading: Reading) -> Markup:
    told = [radiology_sentence(reading.radiology), f"model {reading.model}"]
    told += [f"maps by {reading.method}"] if reading.method else []
    how = "; ".join(filter(None, told))
    return element(
        "div",
        caption_words(reading),
        concept_rows(reading),
        *(element("p", note, class_="note") for note in reading.notes),
        near_cases(reading.neighbours),
        element("p", joined([how[0].upper() + how[1:], "."]), class_="credit"),
        class_="say",
    )
