"""A concept of the report as a FHIR R4 Observation.

Invariant: what was decided for is the value; how sure that is stands beside it as a number and in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.reading.structured.codes import AI_ASSERTED, IMAGING, assertion, concept_code
from radcap.reading.telling import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.reading.structured.values import StructuredReport, Supported

__all__ = ["observation"]

_UNITS = "http://unitsofmeasure.org"


def observation(one: Supported, report: StructuredReport, number: int, picture: str) -> dict[str, Any]:
    """The resource, to be held by the report; `picture` is the id of the one that may show it."""
    made: dict[str, Any] = {
        "resourceType": "Observation",
        "id": f"observation-{number}",
        "meta": {"security": [AI_ASSERTED]},
        "status": "preliminary",
        "category": [IMAGING],
        "code": assertion(kind_of(one.role)),
        "valueCodeableConcept": concept_code(one),
        "interpretation": [{"text": one.certainty}],
        "note": [{"text": f"{one.note}."}] if one.note else [],
        "method": {"text": f"Read by the model {report.model}"},
        "derivedFrom": [{"reference": f"#{picture}"}] if one.cui == report.picture.cui else [],
        "component": list(_components(one)),
    }
    return {key: value for key, value in made.items() if value}


def _components(one: Supported) -> Iterator[dict[str, Any]]:
    if one.p is not None:
        share = {"value": round(float(one.p), 4), "unit": "1", "system": _UNITS, "code": "1"}
        yield {"code": {"text": "Calibrated probability"}, "valueQuantity": share}
    if one.place:
        yield {"code": {"text": "Place in the picture"}, "valueString": one.place}
    for box in one.boxes:
        numbers = ", ".join(f"{name} {value:g}" for name, value in box.to_json().items())
        yield {"code": {"text": "Box in shares of the picture"}, "valueString": numbers}
