"""A decoder with the rules it writes under."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.generation.rules import rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.decoders.decoder import Decoder
    from radcap.captioning.generation.controls import Control
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

    @property
    def steps(self) -> int:
        """Tokens that the decoder is given at most: the begin mark and a whole caption."""
        return self.longest + 1


def make_pen(
    decoder: Decoder, settings: GenerateSettings, marks: Marks, controls: Sequence[Control] = ()
) -> Pen:
    """The pen of the settings."""
    return Pen(decoder, rules_of(settings, marks, controls), marks, settings.longest)
