"""From a statement and its map to evidence.

Invariant: boxes are drawn only where a statement has a place; language alone has no path to the image.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.pictures import boxes_of
from radcap.explanation.values import IMAGE, Evidence, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.mapping import Mapped
    from radcap.explanation.subjects import Statement
    from radcap.explanation.system import BoxSettings

__all__ = ["evidence_of", "methods_of"]


def evidence_of(told: Statement, found: Mapped, boxes: BoxSettings) -> Evidence:
    """Why a statement was made, by its map."""
    shown = told.localisable and found.map is not None
    marked = boxes_of(found.map, boxes.threshold, boxes.most) if shown and found.map is not None else ()
    paths = tuple((one.name, one.share) for one in told.paths)
    language = not told.paths and told.kind in (Kind.WORD, Kind.SPAN) and told.probability is not None
    return Evidence(
        key=told.key,
        kind=told.kind,
        label=told.label,
        map=found.map,
        cui=told.cui,
        probability=told.probability,
        spread=found.spread,
        boxes=marked,
        place=told.place,
        localisable=told.localisable,
        note=" ".join(dict.fromkeys(one for one in (told.note, found.why) if one)),
        paths=_merged(paths) or (((IMAGE, 0.0),) if language else ()),
    )


def methods_of(found: Sequence[Mapped]) -> str:
    """The methods that made the maps, each once."""
    return " and ".join(dict.fromkeys(name for one in found for name in one.methods))


def _merged(paths: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Paths of one name as one."""
    total: dict[str, float] = {}
    for name, share in paths:
        total[name] = total.get(name, 0.0) + share
    return tuple(total.items())
