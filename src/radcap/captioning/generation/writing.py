"""Captions for a batch of images, by the method of the settings.

Invariant: the captions of an image are the same in any batch (to the rounding of the decoder). The method
`mbr` gives the captions that are to be weighed: `consensus` weighs them, since it needs their words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.generation.beam import beam
from radcap.captioning.generation.greedy import greedy
from radcap.captioning.generation.pen import make_pen
from radcap.captioning.generation.rows import candidates_of
from radcap.captioning.generation.sampling import sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.decoders.decoder import Decoder
    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.generation.candidate import Candidate
    from radcap.captioning.generation.controls import Control, Weight
    from radcap.captioning.generation.marks import Marks
    from radcap.captioning.generation.pen import Pen
    from radcap.captioning.settings import GenerateSettings

__all__ = ["draws", "write"]


def draws(settings: GenerateSettings) -> bool:
    """Whether captions are drawn, so that a seed is needed for each image."""
    return settings.method == "sample" or (settings.method == "mbr" and settings.samples > 0)


def write(
    decoder: Decoder,
    memory: Memory,
    settings: GenerateSettings,
    marks: Marks,
    controls: Sequence[Control] = (),
    *,
    weights: Sequence[Weight] = (),
    seeds: Sequence[int] = (),
) -> list[list[Candidate]]:
    """The captions of each image, best score first; captions that are drawn may be equal.

    A decoder with dropout is put in evaluation mode before, by whoever has it.
    """
    if not len(memory):
        return []
    pen = make_pen(decoder, settings, marks, controls, weights)
    if draws(settings):
        return _drawn(pen, memory, settings, seeds)
    if settings.method == "greedy":
        return [[one] for one in candidates_of(greedy(pen, memory), settings.length_penalty)]
    return beam(pen, memory, settings.beams, settings.length_penalty)


def _drawn(
    pen: Pen, memory: Memory, settings: GenerateSettings, seeds: Sequence[int]
) -> list[list[Candidate]]:
    found = candidates_of(sample(pen, memory, settings, seeds), settings.length_penalty)
    copies = len(found) // len(memory)
    images = (found[start : start + copies] for start in range(0, len(found), copies))
    return [sorted(image, key=lambda one: one.score, reverse=True) for image in images]
