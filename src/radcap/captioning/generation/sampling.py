"""Captions that are drawn.

Invariant: what is drawn for an image depends on `seed` and the number of the image alone: not on its
neighbours in the batch, the device's own dice, or how many samples come after. A token costs one number from
0 to 1, which is looked up in the summed probabilities.
>>> image_seed("ROCOv2_2023_test_000001") == image_seed("ROCOv2_2023_test_000002")
False
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import torch

from radcap.captioning.generation.pen import make_pen
from radcap.captioning.generation.rows import write_rows
from radcap.captioning.generation.shortlist import shortlist
from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.decoders.decoder import Decoder
    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.generation.controls import Control
    from radcap.captioning.generation.marks import Marks
    from radcap.captioning.generation.pen import Pen
    from radcap.captioning.generation.rows import Choose, Rows
    from radcap.captioning.settings import GenerateSettings
    from radcap.core import ImageId

__all__ = ["draw", "drawing", "image_seed", "sample"]


def image_seed(image_id: ImageId) -> int:
    """A number for an image, the same everywhere and always."""
    return _number(image_id)


def draw(
    decoder: Decoder,
    memory: Memory,
    settings: GenerateSettings,
    marks: Marks,
    seeds: Sequence[int],
    controls: Sequence[Control] = (),
) -> Rows:
    """`samples` captions of each image (1 where the settings say 0), one after another, as tensors.

    Nothing is recorded for a gradient: who learns from them asks `forward` for their log probabilities.
    """
    return sample(make_pen(decoder, settings, marks, controls), memory, settings, seeds)


def sample(pen: Pen, memory: Memory, settings: GenerateSettings, seeds: Sequence[int]) -> Rows:
    """The same by a pen that is there already; `seeds` has a number for each image."""
    if len(seeds) != len(memory):
        raise UsageError(
            f"There are {len(memory)} images and {len(seeds)} seeds. A caption is drawn from the seed of its"
            " image. Give a number for each, such as `image_seed(id)`."
        )
    return write_rows(pen, memory, *drawing(settings, seeds, pen.steps, memory.values.device))


def drawing(
    settings: GenerateSettings, seeds: Sequence[int], steps: int, device: torch.device
) -> tuple[int, Choose]:
    """How many captions of each image are drawn, and how the token of a step is."""
    copies = max(1, settings.samples)
    lots = _lots(seeds, settings.seed, (copies, steps)).to(device)

    def choose(ruled: torch.Tensor, rows: torch.Tensor, step: int) -> torch.Tensor:
        return _drawn(shortlist(ruled, settings).softmax(dim=1), lots[rows, step])

    return copies, choose


def _drawn(chances: torch.Tensor, lots: torch.Tensor) -> torch.Tensor:
    """The token of each row (n x size) in whose part of the probability its lot falls."""
    heap = chances.cumsum(dim=1)
    place = torch.searchsorted(heap, (lots * heap[:, -1])[:, None], right=True)[:, 0]
    place = place.clamp(max=chances.shape[1] - 1)
    # Sums are rounded, on a GPU not even in order: no lot may fall on what has no chance.
    is_possible = chances.gather(1, place[:, None])[:, 0] > 0
    return torch.where(is_possible, place, chances.argmax(dim=1))


def _lots(seeds: Sequence[int], seed: int, shape: tuple[int, int]) -> torch.Tensor:
    """Numbers from 0 to 1 for each image, made without a GPU, so that every machine has the same."""
    dice = torch.Generator()
    lots: list[torch.Tensor] = []
    for one in seeds:
        dice.manual_seed(_number(f"{seed} {one}"))
        lots.append(torch.rand(shape, generator=dice))
    return torch.cat(lots)


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1
