"""A small alignment of images and captions: two linear maps into one space, learnt by contrast.

The image comes as the vector that the captioner's eyes give, the caption as the mean of its words. Of the
captions of a batch each image has to find its own, and each caption its image (CLIP, Radford et al. 2021).
Invariant: images with the same caption are no contrast to each other; the same lessons and seed give the same
maps.
"""

# torch and safetensors are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.captioning.reranking.text_vectors import by_image, word_texts
from radcap.captioning.texts.word_vectors import units
from radcap.core import InputError
from radcap.vision.weight_files import read_weight_file, write_weight_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.captioning.models.eyes import Sight
    from radcap.captioning.reranking.reranker import Floats, Lessons, Source
    from radcap.captioning.reranking.text_vectors import TextVectors

__all__ = ["LearntAlignment", "fit_alignment", "load_alignment"]

_FILE = "alignment.safetensors"
_MAPS = ("mean", "spread", "image_map", "text_map")
_WIDTH = 64
_STEPS, _BATCH = 300, 256
_LR, _DECAY = 1e-2, 1e-2
_SHARP = 10.0  # what cosines are multiplied by at first


@dataclass(frozen=True, slots=True, eq=False)
class LearntAlignment:
    """Images are standardised by `mean` and `spread`, then mapped; so are texts."""

    texts: TextVectors
    mean: Floats
    spread: Floats
    image_map: Floats
    text_map: Floats
    looks = True
    eyes = None

    def scores(self, drafts: Sequence[Sequence[str]], sight: Sight | None) -> list[list[float]]:
        """The cosine of each draft with its image."""
        assert sight is not None  # noqa: S101 - whoever looks is told what was seen
        images = self.images(sight.gist.cpu().numpy())
        found = zip(images, by_image(drafts, self.texts), strict=True)
        return [cast("list[float]", (self.captions(said) @ image).tolist()) for image, said in found]

    def images(self, vectors: Floats) -> Floats:
        scaled: Floats = (vectors - self.mean) / self.spread
        return units(scaled @ self.image_map)

    def captions(self, vectors: Floats) -> Floats:
        return units(vectors @ self.text_map)

    def save(self, folder: Path) -> None:
        self.texts.save(folder)
        held = {name: torch.from_numpy(getattr(self, name)) for name in _MAPS}
        write_weight_file(held, folder / _FILE, "fp32")


def fit_alignment(source: Source, lessons: Lessons) -> LearntAlignment:
    """From all training images that can be looked at."""
    texts = word_texts(source)
    captions, vectors = lessons.pairs()
    mean, spread = vectors.mean(axis=0), vectors.std(axis=0)
    spread = np.where(spread > 0, spread, 1).astype(np.float32)
    kinds = {text: number for number, text in enumerate(dict.fromkeys(captions))}
    same = torch.tensor([kinds[one] for one in captions])
    image, text = torch.from_numpy((vectors - mean) / spread), torch.from_numpy(texts([*captions]))
    maps = _learnt(image, text, same, lessons.seed)
    return LearntAlignment(texts, mean, spread, *maps)


def _learnt(image: torch.Tensor, text: torch.Tensor, same: torch.Tensor, seed: int) -> tuple[Floats, Floats]:
    """The two maps; `same` numbers the captions."""
    chance = torch.Generator().manual_seed(seed)
    first = [
        torch.randn(one.shape[1], _WIDTH, generator=chance) / max(one.shape[1], 1) ** 0.5
        for one in (image, text)
    ]
    image_map, text_map = (nn.Parameter(one) for one in first)
    sharp = nn.Parameter(torch.tensor(_SHARP).log())
    optimiser = torch.optim.AdamW([image_map, text_map, sharp], lr=_LR, weight_decay=_DECAY)
    with torch.enable_grad():
        for _ in range(_STEPS):
            some = torch.randperm(len(image), generator=chance)[:_BATCH]
            likeness = F.normalize(image[some] @ image_map) @ F.normalize(text[some] @ text_map).T
            loss = _contrast(likeness * sharp.exp(), same[some])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return image_map.detach().numpy(), text_map.detach().numpy()


def _contrast(scores: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """Cross-entropy both ways; all images of one caption are right for it."""
    right = (same[:, None] == same).float()
    right = right / right.sum(dim=1, keepdim=True)
    ways = [-(right * one.log_softmax(dim=1)).sum(dim=1).mean() for one in (scores, scores.T)]
    return (ways[0] + ways[1]) / 2


def load_alignment(source: Source) -> LearntAlignment:
    """What was saved; maps that do not fit the words are refused."""
    texts, path = word_texts(source), source.folder / _FILE
    held = {name: one.numpy() for name, one in read_weight_file(path).items()}
    wide = len(held["mean"]) if "mean" in held and held["mean"].ndim else -1
    shapes = {
        "mean": (wide,),
        "spread": (wide,),
        "image_map": (wide, _WIDTH),
        "text_map": (texts.width, _WIDTH),
    }
    right = {name: one.shape for name, one in held.items()} == shapes
    if not right or not all(np.isfinite(one).all() for one in held.values()) or (held["spread"] <= 0).any():
        why = "it holds no maps of images and words of these widths"
        told = f"{path} cannot be used: {why}. The model is damaged: get it again, or train it again."
        raise InputError(told, path=str(path))
    return LearntAlignment(texts, *(held[name] for name in _MAPS))
