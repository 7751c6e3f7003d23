"""What losses demand of a head.

Invariant: a loss that a head cannot feed is refused before anything is trained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import UsageError

if TYPE_CHECKING:
    from radcap.vision.heads import Head
    from radcap.vision.settings import LossSettings

__all__ = ["check_loss"]


def check_loss(settings: LossSettings, head: Head) -> None:
    """Refuse a loss over what the head does not have."""
    if settings.name == "contrastive" and settings.concept_concept and head.concept_vectors() is None:
        raise UsageError(
            f"[loss] concept_concept is {settings.concept_concept:g}, and the head has no vectors of concepts"
            ' to compare. Set [head] kind = "label-embedding", or concept_concept = 0.'
        )
    if settings.name == "own" and not head.teaches:
        raise UsageError(
            '[loss] name is "own", and the head has no loss of its own. Set [head] kind = "sequence", or'
            ' another loss, such as "bce".'
        )
