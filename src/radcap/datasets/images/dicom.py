"""DICOM files: the picture as a viewer would first show it, and nothing that names a person.

Invariant: pixels and `DicomFacts` are all that leaves; names, dates, institutions and UIDs never do. Of
several frames the middle one is taken: a volume starts and ends outside of what it was made for.
Needs pydicom; transfer syntaxes that need a further decoder are refused with what pydicom says.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from radcap.core import Missing
from radcap.datasets.images.dicom_pixels import shown_pixels
from radcap.datasets.images.failures import FAILURES, reason
from radcap.datasets.images.limits import LIMITS, ImageLimits
from radcap.datasets.images.quiet import quiet
from radcap.datasets.images.sniffing import ENDINGS, described, kind_of
from radcap.datasets.refusal import refuse

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["DicomFacts", "DicomImage", "read_dicom"]

_CODE_STRING = re.compile(r"[A-Z0-9 _]{1,16}")  # what the standard allows there; free text may hold names
_DEFLATED = b"1.2.840.10008.1.2.1.99"
_META = 4096  # the transfer syntax stands within


@dataclass(frozen=True, slots=True)
class DicomFacts:
    """What is known of the picture and tells of nobody. Empty where the file says nothing."""

    modality: str
    body_part: str
    view: str
    laterality: str
    photometric: str
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class DicomImage:
    """The picture in 8 bit, grey (L) or RGB, and its facts."""

    image: Image
    facts: DicomFacts


def read_dicom(
    data: bytes,
    name: str = "image",
    *,
    allow_burned_in: bool = False,
    limits: ImageLimits = LIMITS,
) -> DicomImage:
    """The picture of a DICOM file. Bad data raise `ImageRefused`, a lacking pydicom `Missing`."""
    _check_start(data, name, limits)
    pydicom = _pydicom()
    try:
        with quiet():
            dataset = pydicom.dcmread(io.BytesIO(data), force=True)
            _check_header(dataset, name, limits, allow_burned_in=allow_burned_in)
            return DicomImage(shown_pixels(dataset), _facts(dataset))
    except (*FAILURES, *_own_failures(pydicom)) as failure:
        raise refuse("IMG109", name, why=reason(failure)) from None


def _pydicom() -> Any:
    try:
        import pydicom
    except ImportError:
        raise Missing("pydicom", "DICOM files need it.", "Run: pip install 'radcap[dicom]'") from None
    return pydicom


def _own_failures(pydicom: Any) -> tuple[type[Exception], ...]:
    """What pydicom raises under names of its own, which derive from nothing more telling than `Exception`."""
    return pydicom.errors.BytesLengthException, pydicom.errors.InvalidDicomError


def _check_start(data: bytes, name: str, limits: ImageLimits) -> None:
    if not data:
        raise refuse("IMG102", name)
    if len(data) > limits.size_bytes:
        raise refuse("IMG107", name, size=len(data), limit=limits.size_bytes)
    kind = kind_of(data)
    if kind != "DICOM":
        raise refuse("IMG103", name, kind=kind or described(data), known=", ".join(ENDINGS))
    if _DEFLATED in data[:_META]:  # it is inflated whole before anything is known of its size
        raise refuse("IMG109", name, why="it is deflated as a whole, which may hide any size")


def _check_header(dataset: Any, name: str, limits: ImageLimits, *, allow_burned_in: bool) -> None:
    if "PixelData" not in dataset:
        raise ValueError("it holds no picture")
    if str(dataset.get("BurnedInAnnotation", "")).strip().upper() == "YES" and not allow_burned_in:
        raise refuse("IMG108", name)
    rows, columns = int(dataset.Rows), int(dataset.Columns)
    if rows * columns > limits.pixels:
        raise refuse("IMG105", name, width=columns, height=rows, limit=limits.pixels)
    frames = int(dataset.get("NumberOfFrames") or 1)
    if frames > limits.frames:
        raise refuse("IMG106", name, frames=frames, limit=limits.frames)


def _facts(dataset: Any) -> DicomFacts:
    return DicomFacts(
        modality=_code(dataset, "Modality"),
        body_part=_code(dataset, "BodyPartExamined"),
        view=_code(dataset, "ViewPosition"),
        laterality=_code(dataset, "ImageLaterality") or _code(dataset, "Laterality"),
        photometric=_code(dataset, "PhotometricInterpretation"),
        rows=int(dataset.Rows),
        columns=int(dataset.Columns),
    )


def _code(dataset: Any, keyword: str) -> str:
    value = str(dataset.get(keyword) or "").strip()
    return value if _CODE_STRING.fullmatch(value) else ""
