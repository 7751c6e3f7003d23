"""The picture of a report: the image with the map of what was found most surely, and its boxes.

Invariant: the map that is shown is of one concept of the report, and the words beside it name that concept;
without a map the picture is the image as it was read, and the words say so.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from PIL import Image

from radcap.captioning.grammar import Role
from radcap.explanation.pictures.panel import drawn_evidence, panel_size
from radcap.reading.structured.values import EvidencePicture
from radcap.report.markup import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.core import Cui
    from radcap.explanation.values import Evidence
    from radcap.reading.structured.values import Supported
    from radcap.reading.values import Reading

__all__ = ["evidence_picture"]

_SIDE = 400  # pixels of a square picture; others have about its area
_QUALITY = 90
_KINDS = (Role.FINDING, Role.OTHER, Role.REGION)  # of which a place may be shown, in this order


def evidence_picture(
    reading: Reading, supported: Sequence[Supported], evidence: Mapping[Cui, Evidence | None]
) -> EvidencePicture:
    """The picture as JPEG: every program that shows reports can show it, at a sixth of the size of PNG."""
    mapped = [one for one in supported if _has_place(evidence[one.cui])]
    by_kind = [one for role in _KINDS for one in mapped if one.role is role]
    first = next(iter(sorted(by_kind, key=_strength)), None)
    shown = None if first is None else evidence[first.cui]
    image = _drawn(reading, shown)
    out = io.BytesIO()
    image.save(out, "jpeg", quality=_QUALITY)
    return EvidencePicture(
        data=out.getvalue(),
        kind="image/jpeg",
        about=_about(reading, first),
        width=image.width,
        height=image.height,
        cui="" if first is None else first.cui,
    )


def _has_place(evidence: Evidence | None) -> bool:
    return evidence is not None and evidence.map is not None and evidence.localisable


def _strength(one: Supported) -> tuple[int, float]:
    """Findings first, the surest before others; a model that only decides is as sure as can be."""
    return _KINDS.index(one.role), -1.0 if one.p is None else -one.p


def _drawn(reading: Reading, shown: Evidence | None) -> Image.Image:
    height, width = reading.picture.shape[:2]
    size = panel_size(width, height, _SIDE)
    if shown is None:
        return Image.fromarray(reading.picture).resize(size, Image.Resampling.BICUBIC)
    return drawn_evidence(reading.picture, shown, 1, size)


def _about(reading: Reading, first: Supported | None) -> str:
    if first is None:
        return f"The image {visible(reading.image)} as it was read. There is no map of a finding to show."
    place = f" Where it is strongest: {first.place}." if first.place else " No place stands out."
    return f"The image {visible(reading.image)} with the map of {first.name}.{place}"
