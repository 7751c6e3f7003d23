"""From a caption to evidence of another model: entities, their boxes, and maps made of those.

Invariant: every entity of the caption has its evidence, with a map or with a note why there is none; each
note says that the boxes are not of the model that wrote the caption.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.external.entities import entities_of
from radcap.explanation.external.regions import box_mask
from radcap.explanation.values import Evidence, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.explanation.external.entities import Entity
    from radcap.explanation.external.provider import BoxProvider, FoundBox
    from radcap.explanation.system import ExplainSystem
    from radcap.explanation.values import Box

__all__ = ["external_evidence", "found_map"]

_SOFT = 0.02  # width of a soft edge, as a part of the shorter side
_NOTE = "Not of the model that wrote the caption: {who} was asked for it, and says nothing about that model."
_NONE = "No box was found."
_KEY_LETTERS = 40
_NO_KEY = re.compile(r"[^a-z0-9]+")


def external_evidence(
    system: ExplainSystem, provider: BoxProvider, picture: NDArray[np.uint8], caption: str
) -> tuple[Evidence, ...]:
    """One evidence for each entity of the caption; the provider is asked once for all of them."""
    entities = entities_of(caption, system.entities)
    phrases = tuple(dict.fromkeys(one.phrase for one in entities))
    found = provider.boxes(picture, phrases) if phrases else []
    return tuple(_evidence(system, one, n, found, picture) for n, one in enumerate(entities, 1))


def found_map(found: Sequence[FoundBox], height: int, width: int) -> NDArray[np.float32] | None:
    """Boxes and masks as one map: the score inside, falling off over a soft edge; none of nothing."""
    whole = np.zeros((height, width), np.float32)
    radius = max(1, round(_SOFT * min(height, width)))
    for one in found:
        mask = one.mask if one.mask is not None and one.mask.any() else box_mask(one.box, height, width)
        whole = np.maximum(whole, np.float32(one.score) * _softened(mask, radius))
    return whole if whole.any() else None


def _evidence(
    system: ExplainSystem, entity: Entity, n: int, found: Sequence[FoundBox], picture: NDArray[np.uint8]
) -> Evidence:
    own = sorted((one for one in found if one.phrase == entity.phrase), key=lambda one: -one.score)
    own = own[: system.boxes.most]
    height, width = picture.shape[:2]
    drawn = found_map(own, height, width)
    boxes = () if drawn is None else tuple(_with_share(one.box, drawn) for one in own)
    told = _NOTE.format(who=f"the provider {system.provider.kind!r}")
    how = ", ".join(dict.fromkeys(one.how for one in own if one.how))
    note = f"{told} By: {how}." if how else told
    return Evidence(
        key=f"external-{n}-{_slug(entity.label)}",
        kind=Kind.SPAN,
        label=entity.label,
        map=drawn,
        cui=entity.cui,
        probability=None,  # a score of another model is no probability of this one's
        boxes=boxes,
        place=entity.place,
        note=note if drawn is not None else f"{_NONE} {told}",
    )


def _with_share(box: Box, drawn: NDArray[np.float32]) -> Box:
    inside = box_mask(box, *drawn.shape)
    return replace(box, share=float(drawn[inside].sum() / drawn.sum()))


def _slug(text: str) -> str:
    """Letters, digits and `-`, as a key has them."""
    return _NO_KEY.sub("-", text.casefold())[:_KEY_LETTERS].strip("-") or "entity"


def _softened(mask: NDArray[np.bool_], radius: int) -> NDArray[np.float32]:
    """The part of the square around each pixel that lies in the mask; beyond the picture it goes on."""
    counts = _counted_down(_counted_down(mask.astype(np.int64), radius).T, radius).T
    return (counts / (2 * radius + 1) ** 2).astype(np.float32)


def _counted_down(values: NDArray[np.int64], radius: int) -> NDArray[np.int64]:
    """Sums over 2 * radius + 1 rows, whole numbers so that nothing is left of what leaves the window."""
    sums = np.pad(values, ((radius + 1, radius), (0, 0)), mode="edge").cumsum(axis=0)
    return sums[2 * radius + 1 :] - sums[: -2 * radius - 1]
