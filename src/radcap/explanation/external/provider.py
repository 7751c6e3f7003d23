"""Whoever gives boxes for phrases: one protocol, and the providers by name.

Invariant: boxes lie within the picture, have some width and height, and scores from above 0 to 1. A phrase
without a box is no error. What a provider says is about the picture, never about a captioning model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from radcap.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.explanation.system import ExplainSystem
    from radcap.explanation.values import Box

__all__ = ["PROVIDERS", "BoxProvider", "FoundBox", "make_provider"]

_HERE = "radcap.explanation.external"

PROVIDERS = Registry(
    "box_provider",
    {
        "openai": f"{_HERE}.openai_boxes:make_openai",
        "detector": f"{_HERE}.detector_boxes:make_detector",
        "spatial": f"{_HERE}.spatial_boxes:make_spatial",
    },
)


@dataclass(frozen=True, slots=True, eq=False)
class FoundBox:
    """Where a phrase is seen. `mask` has the picture's height and width; `how` is by what, in words."""

    phrase: str
    box: Box
    score: float
    mask: NDArray[np.bool_] | None = None
    how: str = ""


class BoxProvider(Protocol):
    """A way to find phrases in a picture (height x width x 3)."""

    def boxes(self, picture: NDArray[np.uint8], phrases: Sequence[str]) -> list[FoundBox]: ...


def make_provider(system: ExplainSystem) -> BoxProvider:
    """The provider that a system names, with its places by words and arrows, and its masks, around it."""
    found: BoxProvider = PROVIDERS.factory(system.provider.kind)(system)
    if system.spatial.words or system.spatial.arrows:
        from radcap.explanation.external.placing import Placed

        found = Placed(found, system.spatial)
    if system.segmenter.model:
        from radcap.explanation.external.segmenter_boxes import make_masked

        found = make_masked(found, system)
    return found
