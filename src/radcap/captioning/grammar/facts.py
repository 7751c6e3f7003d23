"""What is known of an image, before it is put into words.

Invariant: a fact that nobody gave is empty. An image that is normal has no findings.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from radcap.core import UsageError

__all__ = ["Contrast", "Facts"]


class Contrast(StrEnum):
    """Contrast medium; `USED` where its kind is not known."""

    UNKNOWN = ""
    NONE = "none"
    USED = "used"
    INTRAVENOUS = "intravenous"
    GADOLINIUM = "gadolinium"
    ORAL = "oral"
    GASTROINTESTINAL = "gastrointestinal"
    ORAL_AND_INTRAVENOUS = "oral and intravenous"
    GASTROINTESTINAL_AND_INTRAVENOUS = "gastrointestinal and intravenous"


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one image; phrases stand without article and full stop, in the case of running text."""

    modality: str = ""  # a name of words.toml, as CT, MRI, radiograph, or other words
    sequence: str = ""  # T2-weighted, FLAIR
    contrast: Contrast = Contrast.UNKNOWN
    plane: str = ""  # plane or projection: axial, PA, 3D
    region: str = ""  # brain, chest, left knee
    findings: tuple[str, ...] = ()
    normal: bool | None = None  # False: something is wrong, whether or not it is among the findings

    def __post_init__(self) -> None:
        if self.normal and self.findings:
            raise UsageError(
                f"The facts say normal, and name {self.findings[0]!r}. An image without abnormality has no "
                "findings. Leave one of them out."
            )
