"""The one score of a published system that its edition ranked by.

Invariant: it is taken from the file as it is; editions ranked captions by different measures, so two of these
compare only where they are of one edition.
>>> main_measure("2022"), main_measure("2025")
('bleu', 'overall')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.metrics.editions import EDITIONS

if TYPE_CHECKING:
    from radcap.captioning.system import CaptionSystem

__all__ = ["main_measure", "main_score"]


def main_measure(edition: str) -> str | None:
    """What an edition ranked captions by; None where it had none, or nobody knows it."""
    found = EDITIONS.get(edition)
    captions = None if found is None else found.official.captions
    return None if captions is None else captions.primary


def main_score(system: CaptionSystem) -> float | None:
    """The published score by that measure."""
    measure = main_measure(system.edition)
    return None if measure is None else system.published.get(measure)
