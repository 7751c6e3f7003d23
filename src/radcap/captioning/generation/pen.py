"""A decoder with the rules it writes under.

Invariant: what is chosen by may be weighed, but a caption's log probability is the sum of what the rules left
of the decoder's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.generation.rules import rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from radcap.captioning.decoders.decoder import Decoder
    from radcap.captioning.generation.controls import Control, Weight
    from radcap.captioning.generation.marks import Marks
    from radcap.captioning.generation.rules import Rules
    from radcap.captioning.settings import GenerateSettings

__all__ = ["Pen", "make_pen"]


@dataclass(frozen=True, slots=True)
class Pen:
    """What every search needs; the decoder is in evaluation mode, unless its noise is wanted."""

    decoder: Decoder
    rules: Rules
    marks: Marks
    longest: int  # tokens of a caption without its marks
    weights: tuple[Weight, ...] = ()

    @property
    def steps(self) -> int:
        """Tokens that the decoder is given at most: the begin mark and a whole caption."""
        return self.longest + 1

    def weighed(self, written: torch.Tensor, ruled: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """What tokens are chosen by: the log probabilities, unless something else counts too."""
        for weight in self.weights:
            ruled = weight(written, ruled, images)
        return ruled


def make_pen(
    decoder: Decoder,
    settings: GenerateSettings,
    marks: Marks,
    controls: Sequence[Control] = (),
    weights: Sequence[Weight] = (),
) -> Pen:
    """The pen of the settings."""
    rules = rules_of(settings, marks, controls)
    return Pen(decoder, rules, marks, settings.longest, tuple(weights))
