"""How probable statements are for a picture of which only parts are left, by one network or several.

Invariant: a mask lies over the picture and each network sees it in its own pixels; the chance of a statement
is the mean over the networks, by the share that each has in it. One with no share is not asked.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from radcap.explanation.faithfulness.fills import Fill, blurred

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.faithfulness.fills import Replace
    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["Audience", "Voice", "alone", "inside_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Voice:
    """A network with the image before it, and its share in each target."""

    lens: Lens
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Audience:
    """All who decide; called with what is kept of the picture (n x rows x columns), gives n x targets."""

    voices: tuple[Voice, ...]
    targets: tuple[Target, ...]
    fill: Fill = blurred
    chunk: int = 4  # images at once, whose layers stay in the cache of a processor

    def __call__(self, keep: torch.Tensor) -> torch.Tensor:
        total = torch.zeros(len(keep), len(self.targets))
        with torch.inference_mode():
            for voice in self.voices:
                asked = [place for place, share in enumerate(voice.shares) if share > 0]
                shares = torch.tensor([voice.shares[place] for place in asked])
                total[:, asked] += shares * self._heard(voice.lens, asked, 1 - keep)
        return total / torch.tensor([sum(one) for one in zip(*[v.shares for v in self.voices], strict=True)])

    def through(self, fill: Fill) -> Audience:
        """The same, where something else stands in for what is taken away."""
        return replace(self, fill=fill)

    def among(self, places: Sequence[int]) -> Audience:
        """The same, asked about some of the targets alone."""
        voices = tuple(Voice(one.lens, tuple(one.shares[place] for place in places)) for one in self.voices)
        return replace(self, voices=voices, targets=tuple(self.targets[place] for place in places))

    def _heard(self, lens: Lens, asked: Sequence[int], removed: torch.Tensor) -> torch.Tensor:
        targets = [self.targets[place] for place in asked]
        instead = self.fill(lens.pixels, inside_of(lens))
        starts = range(0, len(removed), self.chunk)
        parts = [removed[start : start + self.chunk] for start in starts]
        return torch.cat([_chances(lens, instead, part, targets) for part in parts])


def alone(lens: Lens, targets: Sequence[Target]) -> Audience:
    """One network that decides by itself."""
    return Audience((Voice(lens, (1.0,) * len(targets)),), tuple(targets))


def inside_of(lens: Lens) -> torch.Tensor:
    """Where the picture lies in the pixels: s x s, true inside."""
    size = lens.pixels.shape[-1]
    return lens.frame.over_pixels(torch.ones(1, 1, 1, device=lens.pixels.device), size)[0] > 0


def _chances(lens: Lens, instead: Replace, removed: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
    pixels = lens.pixels
    over = lens.frame.over_pixels(removed.to(pixels.device), pixels.shape[-1])
    return lens.chances(instead(over), targets).float().cpu()
