"""Every word is a label (IUST_NLPLAB 2022): a network says which words a caption has, and those are written.

Invariant: a word that stands in fewer than two training captions is no label; order is by probability, as the
system was published.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from radcap.captioning.models.opening import WORDS, is_kept
from radcap.captioning.models.plain_models import WordsModel
from radcap.captioning.texts.words import spoken_words
from radcap.captioning.training.cards import stage_facts
from radcap.captioning.training.encoding import make_encoder
from radcap.captioning.training.finishing import finish_plain
from radcap.captioning.training.judging import judged
from radcap.core import UsageError
from radcap.vision.heads import make_head
from radcap.vision.losses import make_loss
from radcap.vision.network import Network
from radcap.vision.settings import LossSettings
from radcap.vision.training import CheckpointFolder, FeatureFeed, PictureFeed, fit, memory_kept
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import nn

    from radcap.captioning.training.encoding import Encoder
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned
    from radcap.vision.heads import Head
    from radcap.vision.training import Feed, Trained

__all__ = ["caption_words", "train_words", "word_labels"]

_TIMES = 2


def caption_words(caption: str) -> set[str]:
    """The words of a caption, in small letters.

    >>> sorted(caption_words("Axial T2-weighted MRI of the brain."))
    ['axial', 'brain', 'mri', 'of', 't2-weighted', 'the']
    """
    return set(spoken_words(caption))


def word_labels(captions: Sequence[str]) -> tuple[str, ...]:
    """The words that can be learnt, by name."""
    counts = Counter(word for caption in captions for word in caption_words(caption))
    return tuple(sorted(word for word, times in counts.items() if times >= _TIMES))


def train_words(maker: CaptionMaker) -> None:
    """Write the folder of a captioner that chooses words."""
    with memory_kept(maker.place):
        _Work(maker).make()


@dataclass(frozen=True, eq=False)
class _Work:
    maker: CaptionMaker

    def make(self) -> None:
        maker, parts = self.maker, self.maker.parts
        maker.tell_data()
        words = word_labels(parts.fit.captions)
        if not words:
            raise UsageError("No word stands in two training captions, so none can be learnt.")
        encoder, head, trained = self._taught(
            "first", parts.fit, parts.held, words, maker.system.train.epochs
        )
        figures = judged(maker, self._model(encoder, head, words), parts.held)
        if parts.held is not None and maker.system.train.refit:
            encoder, head, _ = self._taught("refit", parts.both, None, words, trained.epoch + 1)
        if maker.place.is_first:
            self._write(encoder, head, words)
            finish_plain(maker, {**_facts(words, trained), **figures})
            shutil.rmtree(maker.folder.training, ignore_errors=True)

    def _taught(
        self, name: str, part: Captioned, held: Captioned | None, words: tuple[str, ...], epochs: int
    ) -> tuple[Encoder, Head, Trained]:
        maker = self.maker
        torch.manual_seed(maker.system.train.seed)
        encoder = make_encoder(maker)
        encoder.begin(maker, part)
        head = make_head(maker.system.head, encoder.backbone.width, len(words)).to(maker.place.device)
        feed = self._feed(encoder, part, words)
        judged = None if held is None else self._feed(encoder, held, words)
        module: nn.Module = Network(encoder.backbone, head) if encoder.learns else head
        keep = "best" if held is not None else "last"
        settings = replace(maker.system.train, epochs=epochs, keep=keep, watch="loss", early_stop=0)
        trained = fit(
            module,
            feed,
            make_loss(LossSettings(), feed.labels.float().mean(dim=0)),
            settings,
            maker.place,
            held=judged,
            folder=CheckpointFolder(maker.folder.training / name, maker.fingerprint),
            observe=lambda row: maker.talk.epoch(row, epochs),
        )
        if trained.stopped == "no number":
            maker.talk.tell("words: the loss became no number; the last good weights are kept. Lower lr.")
        return encoder, head, trained

    def _feed(self, encoder: Encoder, captioned: Captioned, words: tuple[str, ...]) -> Feed:
        """The images of a part with their words for labels."""
        images, kept = encoder.feed(self.maker, captioned)
        labels = torch.from_numpy(_matrix(kept.captions, words)).to(self.maker.place.device)
        assert isinstance(images, PictureFeed | FeatureFeed)  # noqa: S101 - augment is refused when it is read
        return replace(images, labels=labels)

    def _model(self, encoder: Encoder, head: Head, words: tuple[str, ...]) -> WordsModel:
        system = self.maker.system
        return WordsModel(encoder.eyes(self.maker), head.eval(), words, system.decoder.words, system.post)

    def _write(self, encoder: Encoder, head: Head, words: tuple[str, ...]) -> None:
        held = {f"head.{name}": one for name, one in head.state_dict().items()}
        if is_kept(self.maker.system):
            held |= {f"backbone.{name}": one for name, one in encoder.backbone.state_dict().items()}
        write_weight_file(held, self.maker.folder.weights)
        self.maker.folder.write_list(WORDS, words)


def _facts(words: tuple[str, ...], trained: Trained) -> dict[str, Any]:
    stages = {"words": stage_facts(trained)}
    return {"words": len(words), "stages": stages, "training": {"stopped": trained.stopped}}


def _matrix(captions: Sequence[str], words: tuple[str, ...]) -> NDArray[np.uint8]:
    place = {word: number for number, word in enumerate(words)}
    matrix = np.zeros((len(captions), len(words)), np.uint8)
    for row, caption in enumerate(captions):
        matrix[row, [place[word] for word in caption_words(caption) if word in place]] = 1
    return matrix
