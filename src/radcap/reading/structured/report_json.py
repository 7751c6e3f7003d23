"""The report as JSON, for programs: the keys are stable within one schema.

Invariant: a key that is here stays, and keeps its meaning, as long as `schema` has the same number; a value
that is not known is null, a list without members is empty.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from radcap.core import VERSION
from radcap.reading.telling import kind_of
from radcap.reading.values import RESEARCH_ONLY

if TYPE_CHECKING:
    from radcap.reading.structured.values import EvidencePicture, Nearest, StructuredReport, Supported

__all__ = ["SCHEMA", "as_json", "report_json"]

SCHEMA = "radcap-report/1"


def report_json(report: StructuredReport) -> str:
    """One JSON value, with a line break at its end."""
    return json.dumps(as_json(report), indent=2, allow_nan=False) + "\n"


def as_json(report: StructuredReport) -> dict[str, Any]:
    """The values of the report, the picture in base64."""
    return {
        "schema": SCHEMA,
        "status": "preliminary",
        "use": RESEARCH_ONLY,
        "issued": None if report.issued is None else report.issued.isoformat(),
        "image": report.image,
        "attribution": report.attribution or None,
        "radiology": _rounded(report.radiology),
        "modalities": [_concept(one) for one in report.modalities],
        "regions": [_concept(one) for one in report.regions],
        "views": [_concept(one) for one in report.views],
        "findings": [_concept(one) for one in report.findings],
        "disputed": [_concept(one) for one in report.disputed],
        "impression": list(report.impression),
        "technique": report.technique,
        "limits": list(report.limits),
        "evidence_picture": _picture(report.picture),
        "nearest": [_nearest(one) for one in report.nearest],
        "method": report.method or None,
        "model": report.model,
        "radcap": VERSION,
    }


def _concept(one: Supported) -> dict[str, Any]:
    return {
        "cui": one.cui,
        "name": one.name,
        "kind": kind_of(one.role),
        "p": _rounded(one.p),
        "certainty": one.certainty,
        "place": one.place or None,
        "boxes": [box.to_json() for box in one.boxes],
        "note": one.note or None,
    }


def _picture(picture: EvidencePicture) -> dict[str, Any]:
    return {
        "type": picture.kind,
        "width": picture.width,
        "height": picture.height,
        "cui": picture.cui or None,
        "about": picture.about,
        "data": base64.b64encode(picture.data).decode("ascii"),
    }


def _nearest(one: Nearest) -> dict[str, Any]:
    return {
        "image": one.image,
        "similarity": round(float(one.similarity), 4),
        "shared": list(one.shared),
        "origin": one.origin,
    }


def _rounded(p: float | None) -> float | None:
    return None if p is None else round(float(p), 4)
