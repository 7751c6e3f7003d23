"""The codes that a FHIR report uses, each with its system.

Invariant: a concept is coded by its CUI in UMLS and by nothing else: no mapping to another system is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from radcap.reading.structured.values import Supported

__all__ = ["AI_ASSERTED", "IMAGING", "IMAGING_STUDY", "RADIOLOGY", "UMLS", "assertion", "concept_code"]

_HL7 = "http://terminology.hl7.org/CodeSystem"
UMLS = f"{_HL7}/umls"

# Security label of HL7 for what no person asserted.
AI_ASSERTED = {
    "system": f"{_HL7}/v3-ObservationValue",
    "code": "AIAST",
    "display": "Artificial Intelligence asserted",
}
RADIOLOGY = {"coding": [{"system": f"{_HL7}/v2-0074", "code": "RAD", "display": "Radiology"}]}
IMAGING = {"coding": [{"system": f"{_HL7}/observation-category", "code": "imaging", "display": "Imaging"}]}
IMAGING_STUDY = {
    "coding": [{"system": "http://loinc.org", "code": "18748-4", "display": "Diagnostic imaging study"}]
}


def assertion(kind: str) -> dict[str, Any]:
    """The code of an observation whose value says what is observed."""
    coding = {"system": f"{_HL7}/v3-ActCode", "code": "ASSERTION", "display": "Assertion"}
    return {"coding": [coding], "text": kind}


def concept_code(one: Supported) -> dict[str, Any]:
    """A concept by its CUI."""
    return {"coding": [{"system": UMLS, "code": one.cui, "display": one.name}], "text": one.name}
