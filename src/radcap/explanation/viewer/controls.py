"""What a reader can do: buttons, the slider, and the keys that do the same.

Invariant: everything that a key does a button does too; without a script none of them is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.markup import Markup, element, void

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["KEYS", "controls", "thumbnails"]

_LAYERS = (("heat", "Heat", "h"), ("contour", "Contour", "c"), ("boxes", "Boxes", "b"))
KEYS = (
    ("\u2190 \u2192", "previous and next statement"),
    ("\u2191 \u2193, J K", "previous and next image (K is previous, J is next)"),
    ("H", "heat map on and off"),
    ("C", "contour lines on and off"),
    ("B", "boxes on and off"),
    ("R", "the raw image alone"),
    ("+ \u2212", "more and less opaque"),
    ("?", "this help"),
)


def controls(images: int) -> Markup:
    """One row for the whole page; it stays in sight."""
    layers = [
        _button(name, key, data_toggle=kind, aria_pressed="true", title=f"{name} (key {key.upper()})")
        for kind, name, key in _LAYERS
    ]
    slider = element(
        "label",
        "Opacity ",
        void("input", type="range", min=0, max=100, step=5, value=65, id="opacity"),
        element("output", "65 %", for_="opacity", id="opacity-told"),
    )
    steps = [
        _button("\u25c0 Previous", "k", data_step="-1", title="Previous image (key K or up)"),
        element("output", f"1 of {images}", id="position"),
        _button("Next \u25b6", "j", data_step="1", title="Next image (key J or down)"),
    ]
    return element(
        "div",
        _button("Raw", "r", data_toggle="raw", aria_pressed="false", title="The raw image alone (key R)"),
        *layers,
        slider,
        *(steps if images > 1 else []),
        _button("Keys", "?", data_help="open", title="Help (key ?)", aria_haspopup="dialog"),
        class_="controls scripted",
        role="toolbar",
        aria_label="What is shown",
    )


def _button(name: str, key: str, **attributes: str) -> Markup:
    return element("button", name, type="button", aria_keyshortcuts=key, **attributes)


def thumbnails(pictures: Sequence[tuple[str, str]]) -> Markup:
    """A strip of links, by name and address of a small picture; nothing for a single image."""
    if len(pictures) < 2:  # noqa: PLR2004
        return Markup("")
    links = [
        element("li", _thumbnail(place, name, address)) for place, (name, address) in enumerate(pictures, 1)
    ]
    return element("nav", element("ol", *links), class_="strip-of-images", aria_label="Images")


def _thumbnail(place: int, name: str, address: str) -> Markup:
    small = void("img", src=address, alt=f"Image {place}: {name}", loading="lazy", decoding="async")
    current = "true" if place == 1 else None
    return element(
        "a", small, element("span", str(place)), href=f"#image-{place}", title=name, aria_current=current
    )
