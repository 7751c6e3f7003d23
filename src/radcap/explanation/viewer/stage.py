"""The picture with the evidence of each statement over it, of which one is shown.

Invariant: without a script the first map is seen; the others are `hidden`, and their pictures are not read
until they are asked for (`data-src`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.pictures.sentences import percent
from radcap.explanation.viewer.encoding import contour_address, heat_address, picture_address
from radcap.report.markup import Markup, element, void

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.explanation.values import Box, Explanation
    from radcap.explanation.viewer.statements import Statement

__all__ = ["stage"]


def stage(explanation: Explanation, made: Sequence[Statement], first: Statement | None) -> Markup:
    """The raw picture and all layers."""
    height, width = explanation.picture.shape[:2]
    raw = void(
        "img",
        src=picture_address(explanation.picture),
        alt=f"Image {explanation.image}",
        class_="raw",
        decoding="async",
        width=width,
        height=height,
    )
    layers = [
        _layer(one, one.evidence.map, shown=one is first) for one in made if one.evidence.map is not None
    ]
    return element("div", raw, *layers, class_="stage", style=f"--ratio: {width / height:.5f}")


def _layer(one: Statement, relevance: NDArray[np.float32], *, shown: bool) -> Markup:
    boxes = one.evidence.boxes if one.evidence.localisable else ()
    return element(
        "div",
        _picture(heat_address(relevance), "heat", f"Heat map of {one.evidence.label}", shown=shown),
        _picture(contour_address(relevance), "contour", "", shown=shown),
        *map(_box, boxes),
        class_=" ".join(filter(None, ["layer", one.colour])),
        data_layer=one.mark,
        hidden=None if shown else "hidden",
    )


def _picture(address: str, kind: str, alt: str, *, shown: bool) -> Markup:
    if shown:
        return void("img", src=address, alt=alt, class_=kind)
    return void("img", data_src=address, alt=alt, class_=kind)


def _box(box: Box) -> Markup:
    place = [("left", box.left), ("top", box.top), ("width", box.width), ("height", box.height)]
    style = "; ".join(f"{name}: {100 * share:.2f}%" for name, share in place)
    low = "low" if box.top < 0.08 else None  # noqa: PLR2004, no room for a label above it
    label = element("span", percent(box.share), class_=low)
    return element("div", label, class_="box", style=style)
