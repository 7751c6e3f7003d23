"""The finished captions that beam search keeps, of all images at once.

Invariant: those of an image are in the order of their scores; a place without a caption has the score minus
infinity.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.captioning.generation.candidate import Candidate, no_number
from radcap.captioning.generation.controls import FORBIDDEN

__all__ = ["Ended", "Finished"]


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """Captions that may have come to their end, n x beams for n images."""

    rows: torch.Tensor  # of those that were running
    sums: torch.Tensor  # of what was chosen by; minus infinity where it is no end
    told: torch.Tensor  # of the log probabilities


def _best_first(scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores and their places; of equals the first stays first, however often they are looked at."""
    return torch.sort(scores, dim=1, descending=True, stable=True)


class Finished:
    """`beams` places for each image."""

    def __init__(self, images: int, beams: int, longest: int, device: torch.device) -> None:
        self._tokens = torch.zeros((images, beams, longest), dtype=torch.int64, device=device)
        self._lengths = torch.zeros((images, beams), dtype=torch.int64, device=device)
        self._scores = torch.full((images, beams), FORBIDDEN, device=device)
        self._told = torch.zeros_like(self._scores)

    def add(self, images: torch.Tensor, written: torch.Tensor, ended: Ended, divisor: float) -> None:
        """Keep the best of what is there and what has ended, of rows of `written`."""
        longest, length = self._tokens.shape[2], written.shape[1]
        scores = torch.cat([self._scores[images], ended.sums / divisor], dim=1)
        scores, places = (each[:, : ended.rows.shape[1]] for each in _best_first(scores))
        tokens = torch.cat([self._tokens[images], F.pad(written[ended.rows], (0, longest - length))], dim=1)
        lengths = torch.cat([self._lengths[images], torch.full_like(ended.rows, length)], dim=1)
        self._tokens[images] = tokens.gather(1, places[..., None].expand(-1, -1, longest))
        self._lengths[images] = lengths.gather(1, places)
        self._told[images] = torch.cat([self._told[images], ended.told], dim=1).gather(1, places)
        self._scores[images] = scores

    def is_settled(self, images: torch.Tensor, best: torch.Tensor) -> torch.Tensor:
        """Where a running caption of this score (n) would not come before the last that is kept."""
        # A place without a caption is never before: only minus infinity, or no number, settles it.
        return ~(best > self._scores[images, -1])

    def candidates(self) -> list[list[Candidate]]:
        """All that is kept, best first; an image without any was not written by numbers."""
        tokens = cast("list[list[list[int]]]", self._tokens.tolist())
        lengths = cast("list[list[int]]", self._lengths.tolist())
        figures = cast("list[list[list[float]]]", torch.stack([self._told, self._scores], dim=2).tolist())
        found = [
            [
                Candidate(tuple(row[:length]), total, score)
                for row, length, (total, score) in zip(*image, strict=True)
                if score > FORBIDDEN
            ]
            for image in zip(tokens, lengths, figures, strict=True)
        ]
        if not all(found):
            raise no_number()
        return found
