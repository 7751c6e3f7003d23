"""The report as a FHIR R4 DiagnosticReport that holds its observations and its picture.

Invariant: it is always preliminary, marked as asserted by a program, and names no patient, no time of the
examination and no performer, since none of them is known. The same report gives the same bytes.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from radcap.reading.structured.codes import AI_ASSERTED, IMAGING_STUDY, RADIOLOGY, concept_code
from radcap.reading.structured.narrative import narrative
from radcap.reading.structured.observations import observation
from radcap.reading.structured.plain_text import plain_text
from radcap.reading.structured.report_json import as_json
from radcap.reading.values import RESEARCH_ONLY

if TYPE_CHECKING:
    from radcap.reading.structured.values import EvidencePicture, StructuredReport

__all__ = ["diagnostic_report"]

_PICTURE = "evidence"


def diagnostic_report(report: StructuredReport) -> str:
    """One JSON resource, with a line break at its end."""
    return json.dumps(_resource(report), indent=2, allow_nan=False) + "\n"


def _resource(report: StructuredReport) -> dict[str, Any]:
    observations = [
        observation(one, report, number, _PICTURE) for number, one in enumerate(report.supported, 1)
    ]
    name = uuid5(NAMESPACE_URL, json.dumps(as_json(report), sort_keys=True))
    made: dict[str, Any] = {
        "resourceType": "DiagnosticReport",
        "id": str(name),
        "meta": {"security": [AI_ASSERTED], "tag": [{"display": RESEARCH_ONLY}]},
        "language": "en",
        "text": {"status": "generated", "div": narrative(report)},
        "contained": [*observations, _media(report.picture)],
        "identifier": [{"system": "urn:ietf:rfc:3986", "value": f"urn:uuid:{name}"}],
        "status": "preliminary",
        "category": [RADIOLOGY],
        "code": IMAGING_STUDY,
        "issued": None if report.issued is None else report.issued.isoformat(),
        "result": [{"reference": f"#{one['id']}"} for one in observations],
        "media": [{"comment": report.picture.about, "link": {"reference": f"#{_PICTURE}"}}],
        "conclusion": " ".join([*report.impression, RESEARCH_ONLY]),
        "conclusionCode": [concept_code(one) for one in report.findings if one.is_likely],
        "presentedForm": [_text(report)],
    }
    return {key: value for key, value in made.items() if value}  # FHIR knows no empty value


def _media(picture: EvidencePicture) -> dict[str, Any]:
    content = {
        "contentType": picture.kind,
        "data": base64.b64encode(picture.data).decode("ascii"),
        "title": picture.about,
    }
    return {
        "resourceType": "Media",
        "id": _PICTURE,
        "status": "completed",
        "width": picture.width,
        "height": picture.height,
        "content": content,
    }


def _text(report: StructuredReport) -> dict[str, Any]:
    data = base64.b64encode(plain_text(report).encode("utf-8")).decode("ascii")
    return {
        "contentType": "text/plain; charset=utf-8",
        "language": "en",
        "data": data,
        "title": "The report as text",
    }
