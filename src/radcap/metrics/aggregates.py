"""The figures of 2025 and 2026 that are made of other figures: relevance, factuality, overall.

Invariant: means of unrounded means, nothing normalised, rounded by nobody. A figure with a missing part has
no value. Each is a mean, so the figure of all images is the mean of the figures of the images.
>>> parts = {"similarity": 0.9271, "bertscore": 0.5977, "rouge1": 0.2594, "bleurt": 0.3230,
...          "umls_f1": 0.1816, "alignscore": 0.1375}
>>> round(aggregate("overall", parts), 4)
0.3432
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AGGREGATES", "SIX", "aggregate", "parts_of"]

SIX = ("similarity", "bertscore", "rouge1", "bleurt", "umls_f1", "alignscore")
AGGREGATES: Mapping[str, tuple[str, ...]] = {
    "relevance": SIX[:4],  # the published tables, and the code of 2026
    "relevance_platform": SIX[:3],  # the code of 2025: no BLEURT
    "factuality": SIX[4:],
    "overall": ("relevance", "factuality"),
    "overall_platform": ("relevance_platform", "factuality"),
    "mean_of_six": SIX,  # the wording of the paper and the page of 2025
}


def aggregate(name: str, values: Mapping[str, float]) -> float | None:
    """The figure of that name, or None if one of its parts has no value."""
    if name not in AGGREGATES:
        return values.get(name)
    parts = [aggregate(part, values) for part in AGGREGATES[name]]
    known = [part for part in parts if part is not None]
    return sum(known) / len(parts) if len(known) == len(parts) else None


def parts_of(name: str) -> tuple[str, ...]:
    """The metrics a figure is made of.

    >>> parts_of("factuality")
    ('umls_f1', 'alignscore')
    """
    if name not in AGGREGATES:
        return (name,)
    return tuple(metric for part in AGGREGATES[name] for metric in parts_of(part))
