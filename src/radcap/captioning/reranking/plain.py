"""Drafts in the order they come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.captioning.models.eyes import Sight
    from radcap.captioning.reranking.reranker import Source

__all__ = ["Plain", "make_plain"]


@dataclass(frozen=True, slots=True)
class Plain:
    """The earlier a draft comes, the better it is; one that comes again is as good as the first time."""

    looks = False
    eyes = None

    def scores(
        self,
        drafts: Sequence[Sequence[str]],
        sight: Sight | None,  # noqa: ARG002 - order alone counts
    ) -> list[list[float]]:
        return [[-float(some.index(one)) for one in some] for some in drafts]

    def save(self, folder: Path) -> None:
        """There is nothing to keep."""


def make_plain(source: Source) -> Plain:  # noqa: ARG001 - as every factory
    """The decoder's own order."""
    return Plain()
