"""What cannot be said of a chat in a system file, found when it is read.

Invariant: nothing heavy is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.settings import IMAGE, JointSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.captioning.system import CaptionModel

__all__ = ["CHAT", "chat_contradictions"]

CHAT = "chat"
_RIGHT = f'Write it once, like prompt = "{IMAGE} Describe the medical image."'


def chat_contradictions(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """What cannot be, by the table that has to change."""
    slots = system.condition.prompt.count(IMAGE)
    if system.decoder.kind != CHAT:
        if slots:
            yield "condition", f"{IMAGE} stands in the prompt of a chat alone. Delete it, or the prompt."
        return
    if system.condition.prompt and slots != 1:
        found = f"{slots} times" if slots else "not at all"
        yield (
            "condition",
            f"The prompt of a chat says where the image is, and {IMAGE} stands there {found}. {_RIGHT}",
        )
    yield from _not_learnt(system)


def _not_learnt(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """Tables that are about captioners of other kinds."""
    joint = system.joint
    if joint != JointSettings():
        yield "joint", "A chat learns captions alone. Delete [joint]."
    if system.language.epochs:
        yield "language", "A chat has learnt its language already. Delete [language]."
    if system.scst.epochs:
        yield "scst", "A chat learns by cross-entropy alone. Delete [scst]."
