"""The sets of concepts by which editions restrict a score.

Invariant: a set never changes under its name, since score signatures carry the name.
Sources: the organisers' evaluators 2023-2026, the 2022 and 2025 overviews, the ROCOv2 paper and its labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.core.errors import unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core.runs import Cui

__all__ = ["CUI_SETS", "DIRECTIONS", "MODALITIES", "NAMES", "REGIONS", "CuiSet", "cui_set"]

MODALITIES: Mapping[Cui, str] = {
    "C0002978": "Angiogram",
    "C0040405": "X-ray computed tomography",
    "C0024485": "Magnetic resonance imaging",
    "C0032743": "Positron emission tomography",
    "C0041618": "Ultrasonography",
    "C1306645": "Plain x-ray",
    "C0920367": "Optical coherence tomography",
    "C1699633": "PET/CT scan",
}
REGIONS: Mapping[Cui, str] = {
    "C1140618": "Upper extremity",
    "C0037949": "Spine",
    "C0030797": "Pelvis",
    "C0023216": "Lower extremity",
    "C0037303": "Cranium",
    "C0817096": "Chest",
    "C0006141": "Breast",
    "C0000726": "Abdomen",
}
DIRECTIONS: Mapping[Cui, str] = {
    "C1999039": "Anterior-posterior",
    "C1996865": "Postero-anterior",
    "C0205129": "Sagittal",
    "C0205131": "Transversal",
}
NAMES: Mapping[Cui, str] = {**MODALITIES, **REGIONS, **DIRECTIONS}

_OCT, _COMBINED, _ANGIOGRAM, _BREAST = "C0920367", "C1699633", "C0002978", "C0006141"
_SET14 = frozenset(MODALITIES) - {_OCT, _COMBINED} | frozenset(REGIONS)
_SET15 = _SET14 | {_OCT}


@dataclass(frozen=True, slots=True)
class CuiSet:
    """A named set of concepts and where it comes from."""

    name: str
    cuis: frozenset[Cui]
    source: str

    def to_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "source": self.source,
            "cuis": [{"cui": cui, "name": NAMES[cui]} for cui in sorted(self.cuis)],
        }


CUI_SETS: Mapping[str, CuiSet] = {
    found.name: found
    for found in (
        CuiSet("manual14", _SET14, "evaluators of 2023 and 2024"),
        CuiSet("manual15", _SET15, "evaluators of 2025 and 2026, which add optical coherence tomography"),
        CuiSet(
            "manual2022-documented",
            _SET14 - {_ANGIOGRAM} | {_COMBINED},
            "overview 2022: modalities with combinations, eight regions; exact CUIs unpublished, inferred",
        ),
        CuiSet(
            "manual2025-documented",
            _SET15 - {_BREAST} | {_COMBINED},
            "overview 2025: no breast, combined PET/CT listed; the CUI of the latter is inferred",
        ),
        CuiSet("rocov2-manual", _SET14 | frozenset(DIRECTIONS), "ROCOv2 manual labels, with direction"),
        CuiSet("rocov2-manual-no-direction", _SET14, "ROCOv2 manual labels, without direction"),
    )
}


def cui_set(name: str) -> CuiSet:
    """The set of that name; an unknown name is refused with the nearest one."""
    try:
        return CUI_SETS[name]
    except KeyError:
        raise unknown_name("CUI set", name, CUI_SETS) from None
