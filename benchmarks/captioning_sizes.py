"""How much the benchmark of captioning does, without loading torch.

Invariant: `small` and `large` have the network of zoo:captions, a Transformer over the feature maps of
zoo:concepts (1,280 x 9 x 9), so that only the number of images differs.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SIZES", "Size"]


@dataclass(frozen=True, slots=True)
class Size:
    """What is learnt and written."""

    images: int  # learnt from
    epochs: int
    batch: int
    written: int  # images that captions are written about
    rewarded: int  # images of an epoch of self-critical training
    answered: int  # images that a captioner of the zoo is asked about
    answered_slowly: int  # the same, where a language model writes
    width: int = 192
    layers: int = 3
    heads: int = 4
    tokens: int = 3000
    shortest: int = 8  # tokens: a writer that has learnt little ends early, and would be measured so
    longest: int = 48
    seen: int = 1280
    grid: int = 9


SIZES = {
    "tiny": Size(
        *(24, 2, 8, 4, 8, 2, 1),
        **{"width": 16, "layers": 1, "heads": 2, "tokens": 300, "seen": 8, "grid": 2},
        **{"shortest": 3, "longest": 10},
    ),
    "small": Size(256, 6, 64, 32, 128, 48, 6),
    "large": Size(4_003, 20, 64, 256, 1_024, 695, 64),
}
