"""What a run of many readings found, counted image by image.

Invariant: it counts the JSON of readings, as they are made or as they are read back from a file, so a run
that went on after an interruption counts as one that was never interrupted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from radcap.captioning.grammar import Role
from radcap.reading.page.card import NO_MODALITY
from radcap.reading.values import Unread

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BATCH", "Census", "Counted"]

BATCH = 100  # images that a page holds
_FOUND = (Role.FINDING.value, Role.OTHER.value)


@dataclass(slots=True)
class Counted:
    """The images of one page."""

    modalities: Counter[str] = field(default_factory=Counter[str])
    unread: int = 0

    @property
    def read(self) -> int:
        return self.modalities.total()


@dataclass(slots=True)
class Census:
    """Counts over a whole run; `pages` in their order, a batch each."""

    pages: list[Counted] = field(default_factory=list[Counted])
    findings: Counter[str] = field(default_factory=Counter[str])
    unread: list[Unread] = field(default_factory=list[Unread])
    done: int = 0

    @property
    def read(self) -> int:
        return self.done - len(self.unread)

    @property
    def modalities(self) -> Counter[str]:
        return sum((one.modalities for one in self.pages), Counter[str]())

    def add(self, told: Mapping[str, Any]) -> None:
        """Count the next image, as `to_json` of a reading or of an image that was not read tells it."""
        if self.done % BATCH == 0:
            self.pages.append(Counted())
        self.done += 1
        if "error" in told:
            self.pages[-1].unread += 1
            self.unread.append(Unread(told["image"], told["error"], told["code"] or "", told["radiology"]))
            return
        modality = told["modality"]
        self.pages[-1].modalities[NO_MODALITY if modality is None else modality["name"]] += 1
        self.findings.update(sorted({one["name"] for one in told["concepts"] if one["role"] in _FOUND}))
