"""Which captioners depend on concepts: what they write changes with what a detector says.

Invariant: neighbours that are found by what an image looks like alone are no such dependence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.settings import CONCEPTS, MODALITY

if TYPE_CHECKING:
    from radcap.captioning.system import CaptionModel, CaptionSystem

__all__ = ["is_told"]


def is_told(system: CaptionSystem) -> bool:
    """Whether the system, or a member of it, is told concepts."""
    return any(map(_is_told, system.member or (system,))) or _named_in(system.refine.prompt)


def _is_told(model: CaptionModel) -> bool:
    condition, generate = model.condition, model.generate
    return (
        condition.concepts != "none"
        or condition.alike > 0
        or condition.clusters > 0
        or generate.dmmcs > 0
        or generate.supported
        or model.decoder.kind == "template"
        or _named_in(condition.prompt)
        or _named_in(model.refine.prompt)
    )


def _named_in(prompt: str) -> bool:
    return CONCEPTS in prompt or MODALITY in prompt
