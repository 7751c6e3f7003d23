"""The draft nearest to the mean of all drafts of its image, as vectors (AI Stat Lab 2025, by BioBERT)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from radcap.captioning.reranking.text_vectors import by_image, word_texts
from radcap.captioning.texts.word_vectors import units

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.captioning.models.eyes import Sight
    from radcap.captioning.reranking.reranker import Floats, Source
    from radcap.captioning.reranking.text_vectors import TextVectors

__all__ = ["Centroid", "make_centroid"]


@dataclass(frozen=True, slots=True)
class Centroid:
    """The cosine of a draft with the mean of the drafts in length 1."""

    vectors: TextVectors
    looks = False
    eyes = None

    def scores(
        self,
        drafts: Sequence[Sequence[str]],
        sight: Sight | None,  # noqa: ARG002 - texts alone count
    ) -> list[list[float]]:
        return [_near_their_mean(one) for one in by_image(drafts, self.vectors)]

    def save(self, folder: Path) -> None:
        self.vectors.save(folder)


def _near_their_mean(vectors: Floats) -> list[float]:
    if not len(vectors):
        return []
    return cast("list[float]", (vectors @ units(vectors.mean(axis=0, keepdims=True))[0]).tolist())


def make_centroid(source: Source) -> Centroid:
    """By the encoder that the settings name, or by words."""
    if not source.settings.model:
        return Centroid(word_texts(source))
    from radcap.captioning.reranking.sentence_encoder import open_sentence_encoder

    return Centroid(open_sentence_encoder(source.settings.model, source.place))
