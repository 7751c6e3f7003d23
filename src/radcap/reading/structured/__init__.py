"""The structured report of a reading, as text, HTML, JSON and FHIR DiagnosticReport."""

from radcap.reading.structured.composing import structured_report
from radcap.reading.structured.forms import ENDINGS, FORMATS, report_of
from radcap.reading.structured.plain_text import SEPARATOR, plain_text
from radcap.reading.structured.values import EvidencePicture, StructuredReport, Supported

__all__ = [
    "ENDINGS",
    "FORMATS",
    "SEPARATOR",
    "EvidencePicture",
    "StructuredReport",
    "Supported",
    "plain_text",
    "report_of",
    "structured_report",
]
