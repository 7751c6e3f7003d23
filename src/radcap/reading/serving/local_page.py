"""The page itself: a place to bring images to, a line of those that wait, and their readings.

Invariant: it asks no other host for anything, runs the one script that we wrote, known by its hash, and puts
into the document no text of others but through `textContent` or our own markup.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from radcap.reading.page import CARD_SCRIPT, CARD_STYLE
from radcap.reading.serving.answers import Answer
from radcap.reading.serving.requests import BODY_BYTES
from radcap.reading.values import RESEARCH_ONLY
from radcap.report.html import page, page_style, source_hash
from radcap.report.markup import Markup, element, void

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.reading.serving.examples import Example

__all__ = ["local_page"]

_TITLE = "Read a radiology image"
_HERE = "Images stay on this machine: they go to the radcap that you started, which writes them nowhere."
_IN_PAGE = (  # no `frame-ancestors`: a browser takes it from the header alone
    "default-src 'none'; style-src-elem 'unsafe-inline'; img-src data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


@cache
def _style() -> str:
    return CARD_STYLE + files("radcap.reading.serving").joinpath("local_page.css").read_text("utf-8")


@cache
def _script() -> str:
    return CARD_SCRIPT + files("radcap.reading.serving").joinpath("local_page.js").read_text("utf-8")


def local_page(token: str, examples: Sequence[Example]) -> Answer:
    """The document, with the token by which its requests are known."""
    document = page(
        _TITLE,
        element("p", f"{RESEARCH_ONLY} {_HERE}", class_="summary"),
        element("div", _drop(), _state(), class_="bring"),
        _line(),
        _readings(),
        _examples(examples),
        element("p", class_="said", role="status", aria_live="polite", id="told"),
        element("div", id="desk", data_token=token, data_limit=str(BODY_BYTES), hidden="hidden"),
        more_style=_style(),
        script=_script(),
        policy=_IN_PAGE,
    )
    return Answer(document.encode(), "text/html; charset=utf-8", policy=_policy())


def _policy() -> str:
    """What the browser may do: our style, our script, pictures that are here already, and asking us."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {source_hash(_script())}",
            f"style-src {source_hash(page_style(_style()))}",
            "img-src data: blob:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    )


def _drop() -> Markup:
    kinds = "PNG, JPEG, WebP, TIFF, GIF, BMP or DICOM"
    choose = [
        void("input", type="file", multiple="multiple", id="files", class_="said"),
        element("label", "Choose files", for_="files", class_="choose"),
    ]
    return element(
        "div",
        element("p", "Drop images here", class_="ask"),
        element("p", *choose, " or paste one"),
        element("p", f"{kinds}, up to {BODY_BYTES // 2**20} MB each.", class_="legend"),
        class_="drop",
        id="drop",
    )


def _state() -> Markup:
    told = element("span", "The model is loading. Images can be given already.", id="state-told")
    mark = element("span", class_="mark", aria_hidden="true")
    return element("p", mark, told, class_="state", id="state", role="status")


def _examples(examples: Sequence[Example]) -> Markup:
    items = [element("li", _example(one)) for one in examples]
    credits_ = [element("li", element("b", one.title), f": {one.attribution}") for one in examples]
    whose = element("details", element("summary", "Whose images these are"), element("ul", *credits_))
    return element(
        "section",
        element("h2", "Or begin with an example", id="examples-title"),
        element("ul", *items, class_="examples"),
        whose,
        aria_labelledby="examples-title",
        id="examples",
    )


def _example(one: Example) -> Markup:
    small = void("img", src=one.address, alt="", decoding="async")
    return element("button", small, element("span", one.title), type="button", data_example=one.name)


def _line() -> Markup:
    """Images that wait or could not be read."""
    how_far = element("progress", max="1", value="0", id="progress", aria_label="Images read")
    return element(
        "section",
        element("h2", "In line", id="line-title"),
        element("p", how_far, " ", element("span", id="progress-told")),
        element("ol", id="line", class_="line-of-images"),
        aria_labelledby="line-title",
        id="line-section",
        hidden="hidden",
    )


def _readings() -> Markup:
    save = element("button", "Save all as JSON lines", type="button", id="save-all")
    clear = element("button", "Remove all", type="button", id="remove-all")
    return element(
        "section",
        element("h2", "Readings", id="readings-title"),
        element("p", save, " ", clear, class_="tools"),
        element("div", id="readings"),
        aria_labelledby="readings-title",
        id="readings-section",
        hidden="hidden",
    )
