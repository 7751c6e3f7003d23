"""Words are preferred that bring a caption as near to the concepts of its image as captions are that carry
them: DMMCS, the distance from the median maximum cosine similarity (Kaliosis et al. 2024, AUEB 2023-25).

Each step, each candidate of a row scores -[norm(alpha D) + norm((1 - alpha) NLL)], where D is the sum over
the image's tags of (largest cosine with a word so far - median)^2 with the candidate written. As in the
authors' code, norm has fixed bounds: 0 to 1.5 for D, 2 to 22 for the NLL. Bounds that follow the candidates
would take alpha out again. Divided by what the NLL has before it, this is log p less `weight` x D, and a
constant that is left out: so values keep the scale of log probabilities.

Three things differ from that code. It weighs the caption before the candidate alone; here a candidate counts
with the word that it makes of what is begun. Only the likeliest candidates of a row are looked at, and no
other is written. Its variant that weighs histograms of all that was generated (Kolmogorov-Smirnov) is left
out: there a caption depends on those written before.
Invariant: an image without tags is written as it would be without.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import torch
from numpy.typing import NDArray

from radcap.captioning.generation.controls import FORBIDDEN
from radcap.captioning.texts.words import begun_words, spoken_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from radcap.captioning.settings import GenerateSettings
    from radcap.captioning.texts.concept_medians import ConceptMedians, Tags
    from radcap.captioning.tokens.tokenizer import Tokenizer
    from radcap.core import Cui

__all__ = ["Guide", "TagWeight", "weight_of"]

Floats: TypeAlias = NDArray[np.float32]

_BOUND_OF_D, _SPAN_OF_NLL = 1.5, 20.0
_CANDIDATES, _PER_BEAM = 32, 4
_BEFORE = "x"  # what a piece is written after, to see its letters


def weight_of(alpha: float) -> float:
    """What D counts against a log probability."""
    return alpha / _BOUND_OF_D * _SPAN_OF_NLL / (1 - alpha)


@dataclass(frozen=True, slots=True, eq=False)
class Guide:
    """Medians and the pieces of a tokenizer: made once, asked for each batch."""

    medians: ConceptMedians
    tokenizer: Tokenizer
    alpha: float
    most: int  # candidates of a row
    _letters: dict[int, str] = field(default_factory=dict[int, str], init=False)

    @classmethod
    def of(cls, medians: ConceptMedians, tokenizer: Tokenizer, settings: GenerateSettings) -> Guide:
        return cls(medians, tokenizer, settings.dmmcs, max(_CANDIDATES, _PER_BEAM * settings.beams))

    def weight(self, decided: Sequence[Collection[Cui]]) -> TagWeight:
        """The weight for images with these concepts."""
        return TagWeight(self, [_Near(self.medians, self.medians.tags(cuis)) for cuis in decided])

    def letters(self, token: int) -> str:
        """What a token adds to a text."""
        if token not in self._letters:
            before = self.tokenizer.encode(_BEFORE)
            whole = self.tokenizer.decode([*before, token])
            self._letters[token] = whole.removeprefix(self.tokenizer.decode(before))
        return self._letters[token]


@dataclass(frozen=True, slots=True, eq=False)
class _Near:
    """The tags of an image, with the cosines of the words that were met."""

    medians: ConceptMedians
    tags: Tags
    _met: dict[str, Floats] = field(default_factory=dict[str, Floats], init=False)
    _begun: dict[tuple[str, int], Floats] = field(
        default_factory=dict["tuple[str, int]", "Floats"], init=False
    )

    def cosines(self, word: str) -> Floats:
        if word not in self._met:
            self._met[word] = self.medians.cosines(self.tags, word)
        return self._met[word]

    def reached(self, text: str) -> Floats:
        """The largest cosines of the words of a text, none below zero."""
        found = np.zeros(len(self.tags), np.float32)
        for word in spoken_words(text):
            found = np.maximum(found, self.cosines(word))
        return found

    def begun(self, tail: str, token: int, letters: Callable[[int], str]) -> Floats:
        """The same of a word that is begun, and a token after it: captions have many of them in common."""
        key = tail, token
        if key not in self._begun:
            self._begun[key] = self.reached(tail + letters(token))
        return self._begun[key]


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """Where a caption stands: the largest cosines of its finished words, and the word that is begun."""

    nearest: Floats
    tail: str = ""


class TagWeight:
    """For one batch: each image has its own tags."""

    def __init__(self, guide: Guide, near: Sequence[_Near]) -> None:
        self._guide, self._near = guide, near
        self._weight = weight_of(guide.alpha)
        self._spots: dict[tuple[int, tuple[int, ...]], _Spot] = {}

    def __call__(self, written: torch.Tensor, ruled: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        values, tokens = ruled.topk(min(self._guide.most, ruled.shape[1]), dim=1)
        told = np.zeros(tuple(tokens.shape), np.float32)
        owners, rows = cast("list[int]", images.tolist()), cast("list[list[int]]", written.tolist())
        tagged = torch.tensor([len(self._near[image].tags) > 0 for image in owners], device=ruled.device)
        for row, some in enumerate(cast("list[list[int]]", tokens.tolist())):
            if len(self._near[owners[row]].tags):
                told[row] = self._distances(owners[row], tuple(rows[row]), some)
        values = values - self._weight * torch.from_numpy(told).to(ruled.device)
        weighed = torch.full_like(ruled, FORBIDDEN).scatter(1, tokens, values)
        return torch.where(tagged[:, None], weighed, ruled)

    def _distances(self, image: int, written: tuple[int, ...], candidates: Sequence[int]) -> Floats:
        """D of a caption with each of its candidates."""
        near, spot = self._near[image], self._spot(image, written)
        rows = np.stack([near.begun(spot.tail, token, self._guide.letters) for token in candidates])
        return near.tags.distance(np.maximum(rows, spot.nearest))

    def _spot(self, image: int, written: tuple[int, ...]) -> _Spot:
        """Found from the spot before, which was asked for a step ago."""
        key = image, written
        if key not in self._spots:
            near = self._near[image]
            if not written:
                self._spots[key] = _Spot(np.zeros(len(near.tags), np.float32))
            else:
                self._spots[key] = self._next(near, self._spot(image, written[:-1]), written[-1])
        return self._spots[key]

    def _next(self, near: _Near, spot: _Spot, token: int) -> _Spot:
        finished, tail = begun_words(spot.tail + self._guide.letters(token))
        nearest = spot.nearest
        for word in finished:
            nearest = np.maximum(nearest, near.cosines(word))
        return _Spot(nearest, tail)
