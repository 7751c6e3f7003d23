"""The draft that agrees most with all drafts of its image, by a metric of texts.

AI Stat Lab 2025 had BLEURT for it; any metric of two texts will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.generation import Agreement, agreement, consensus_of_many

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.captioning.models.eyes import Sight
    from radcap.captioning.reranking.reranker import Source

__all__ = ["Consensus", "make_consensus"]


@dataclass(frozen=True, slots=True)
class Consensus:
    """The mean agreement of a draft with every draft of the image, itself among them."""

    agree: Agreement
    looks = False
    eyes = None

    def scores(
        self,
        drafts: Sequence[Sequence[str]],
        sight: Sight | None,  # noqa: ARG002 - texts alone count
    ) -> list[list[float]]:
        return consensus_of_many(drafts, metric=self.agree)

    def save(self, folder: Path) -> None:
        """There is nothing to keep."""


def make_consensus(source: Source) -> Consensus:
    """By the metric of the settings; one that is not there says how to get it."""
    return Consensus(agreement(source.settings.metric))
