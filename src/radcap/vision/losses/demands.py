"""What losses, critics and teachers demand of a head.

Invariant: what a head cannot feed is refused before anything is trained, and so is what would not be heard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import UsageError

if TYPE_CHECKING:
    from radcap.vision.heads import Head
    from radcap.vision.settings import LossSettings, TeacherSettings

__all__ = ["check_loss"]


def check_loss(settings: LossSettings, head: Head, teacher: TeacherSettings) -> None:
    """Refuse a loss, a critic or a teacher over what the head does not have."""
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
    if settings.name == "own" and settings.smoothing:
        raise UsageError(
            f'[loss] smoothing is {settings.smoothing:g}, and the loss "own" has no labels to smooth.'
            " Set smoothing = 0, or another loss."
        )
    if not head.learns_by_logits:
        _check_lists(settings, head, teacher)


def _check_lists(settings: LossSettings, head: Head, teacher: TeacherSettings) -> None:
    """Refuse what looks at a probability of each label, since a head of lists has none while it learns."""
    if settings.name != "own":
        raise UsageError(
            f'[loss] name is "{settings.name}", and a head that writes lists learns by its own loss alone.'
            ' Set [loss] name = "own", or another [head] kind.'
        )
    if head.critic is not None:
        raise UsageError(
            "[head] critic looks at a probability of each label, and a head that writes lists has none while"
            " it learns. Set critic = 0, or another [head] kind."
        )
    if teacher.models:
        raise UsageError(
            "[teacher] answers with a probability of each label, and a head that writes lists learns from"
            " lists. Delete [teacher], or set another [head] kind."
        )
