"""What a caption is worth beside its reference, by any metric of radcap.

Invariant: values are those of the metric's own code. CIDEr weighs words by their rarity over the references
it is given, so a fixed sample of training captions stands beside every batch.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.metrics.caption_metrics import caption_metric
from radcap.metrics.text_pairs import TextPairs

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Reward"]

_BESIDE = 512  # training captions that stand for the rarity of words
_NO_PUNCTUATION = str.maketrans(string.punctuation, " " * len(string.punctuation))
_CORPUS = {"cider"}  # metrics whose values depend on the other references


@dataclass(frozen=True, slots=True)
class Reward:
    """A metric by name; `beside` are references that a batch is measured among."""

    metric: str
    beside: tuple[str, ...] = ()

    @classmethod
    def of(cls, metric: str, references: Sequence[str]) -> Reward:
        """The reward of a training set; a metric that is not there says how to get it."""
        caption_metric(metric).load()
        step = max(1, len(references) // _BESIDE)
        return cls(metric, tuple(references[::step][:_BESIDE]) if metric in _CORPUS else ())

    def __call__(self, captions: Sequence[str], references: Sequence[str]) -> list[float]:
        """A value for each caption, in lower case and without punctuation."""
        ours = [_plain(one) for one in [*captions, *("" for _ in self.beside)]]
        theirs = [_plain(one) for one in [*references, *self.beside]]
        return caption_metric(self.metric).load()(TextPairs(ours, theirs)).values[: len(captions)]


def _plain(caption: str) -> str:
    return caption.lower().translate(_NO_PUNCTUATION)
