"""Explanations that come from the model itself: where in the image each concept and word was seen."""

from radcap.explanation.explaining import Explainer, Failure, Settings
from radcap.explanation.values import Box, Case, Evidence, Explanation, Kind, Origin

__all__ = [
    "Box",
    "Case",
    "Evidence",
    "Explainer",
    "Explanation",
    "Failure",
    "Kind",
    "Origin",
    "Settings",
]
