"""From a reading to its structured report.

Invariant: the caption gives nothing to a report: it may say more than was decided for. It can only take away,
since what it denies is not asserted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.captioning.grammar import Role
from radcap.core import VERSION, UsageError
from radcap.explanation.pictures import boxes_of
from radcap.explanation.rationale.places import where
from radcap.explanation.values import Kind
from radcap.reading.structured.denials import denied_in
from radcap.reading.structured.evidence_picture import evidence_picture
from radcap.reading.structured.impression import impression
from radcap.reading.structured.limits import limits
from radcap.reading.structured.values import Nearest, StructuredReport, Supported
from radcap.reading.telling import certainty, origin_of
from radcap.report.markup import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from radcap.explanation.values import Case, Evidence
    from radcap.reading.values import Reading, Seen

__all__ = ["structured_report"]


def structured_report(reading: Reading, *, issued: datetime | None = None) -> StructuredReport:
    """The report of one reading; `issued` is when it was, if that shall be told."""
    if issued is not None and issued.tzinfo is None:
        raise UsageError(f"The time {issued} has no time zone. Give one that has, as datetime.now(UTC).")
    denied = denied_in(reading.caption)
    found = [_supported(one, reading) for one in reading.concepts]
    kept = [one for one in found if one.cui not in denied]
    disputed = tuple(one for one in found if one.cui in denied)
    return StructuredReport(
        image=visible(reading.image),
        model=visible(reading.model),
        modalities=_of(kept, Role.MODALITY),
        regions=_of(kept, Role.REGION),
        views=_of(kept, Role.DIRECTION),
        findings=_of(kept, Role.FINDING) + _of(kept, Role.OTHER),
        disputed=disputed,
        impression=impression(kept),
        technique=_technique(reading),
        limits=limits(reading, disputed),
        picture=evidence_picture(reading, kept, {one.cui: evidence_for(reading, one.cui) for one in kept}),
        nearest=tuple(_nearest(case, kept) for case in reading.neighbours),
        method=visible(reading.method),
        radiology=reading.radiology,
        attribution=visible(reading.attribution),
        issued=issued,
    )


def evidence_for(reading: Reading, cui: str) -> Evidence | None:
    """Where a concept comes from, or else the words of the caption that name it; boxes only of a place."""
    spans = (one for one in reading.evidence if one.cui == cui and one.kind is Kind.SPAN)
    found = reading.evidence_of(cui) or next(spans, None)
    if found is None:
        return None
    if found.map is None or not found.localisable:
        return replace(found, boxes=())
    return replace(found, boxes=found.boxes or boxes_of(found.map))


def _supported(seen: Seen, reading: Reading) -> Supported:
    found = evidence_for(reading, seen.cui)
    boxes = () if found is None else found.boxes
    return Supported(
        cui=seen.cui,
        name=visible(seen.name).strip() or seen.cui,
        p=seen.p,
        role=seen.role,
        certainty=certainty(seen.p),
        place=where(boxes),
        boxes=boxes,
        note="" if found is None else visible(found.note).strip().rstrip("."),
    )


def _of(found: Iterable[Supported], role: Role) -> tuple[Supported, ...]:
    return tuple(one for one in found if one.role is role)


def _technique(reading: Reading) -> str:
    maps = f" Maps by {visible(reading.method)}." if reading.method else " No maps were made."
    return (
        f"One image, read by the model {visible(reading.model)} (radcap {VERSION}) without history,"
        f" earlier images or other views. Probabilities are calibrated.{maps}"
    )


def _nearest(case: Case, kept: Sequence[Supported]) -> Nearest:
    names = {one.name.casefold() for one in kept}
    shared = (visible(name) for name in case.concepts)
    return Nearest(
        image=visible(case.image),
        similarity=case.similarity,
        shared=tuple(name for name in shared if name.casefold() in names),
        origin=visible(origin_of(case)) or "Author and licence not stated",
    )
