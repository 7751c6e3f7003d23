"""What chooses among drafts, made from the training split.

Invariant: it learns from the captions that the captioner learns from, and by the very eyes that will look for
it.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch

from radcap.captioning.reranking import Lessons, Source, make_reranker
from radcap.core import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from radcap.captioning.joining_settings import RerankSettings
    from radcap.captioning.models.eyes import Eyes
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned
    from radcap.detection.talk import Talk
    from radcap.vision.training import Place

__all__ = ["check_reranker", "fit_reranker", "seen_vectors"]

_LEARNT = ("centroid", "alignment")


def check_reranker(settings: RerankSettings, captions: tuple[str, ...], place: Place) -> None:
    """Refuse metrics, models and words that cannot be had, before anything is trained."""
    if settings.by == "consensus" or settings.model:
        make_reranker(Source(settings, place, Path()))
    elif settings.by in _LEARNT:
        from radcap.captioning.reranking.text_vectors import check_words

        check_words(captions)


def fit_reranker(maker: CaptionMaker, captioned: Captioned, eyes: Eyes | None) -> Reranker | None:
    """The reranker that a system names, if it names one; without eyes it cannot go by images."""
    settings, seed = maker.system.rerank, maker.system.train.seed
    if settings.by == "none":
        return None

    def pairs() -> tuple[tuple[str, ...], NDArray[np.float32]]:
        assert eyes is not None  # noqa: S101 - a system without is refused when it is read
        seen, vectors = seen_vectors(eyes, captioned, maker.talk)
        return seen.captions, vectors

    lessons = Lessons(captioned.captions, pairs, seed)
    return make_reranker(Source(settings, maker.place, maker.folder.reranker, lessons))


@torch.no_grad()
def seen_vectors(eyes: Eyes, captioned: Captioned, talk: Talk) -> tuple[Captioned, NDArray[np.float32]]:
    """The images that can be looked at, and their vectors, in one order."""
    ids: list[str] = []
    vectors: list[torch.Tensor] = []
    for sight in eyes.look(captioned.images):
        if sight.ids:
            ids += sight.ids
            vectors.append(sight.gist.float().cpu())
        if talk.progress is not None:
            talk.progress("vectors", len(ids))
    if not ids:
        raise UsageError(f"No image of {captioned.images.name} can be read. See radcap dataset check.")
    return captioned.only(tuple(ids)), torch.cat(vectors).numpy()
