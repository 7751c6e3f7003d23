"""Captioners that remember: the nearest image's caption, the commonest of all, and any.

Nothing is trained; what they remember is the training split, and after `refit` both splits; or a dataset that
is named, whatever they are fitted on.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import shutil
from collections import Counter
from typing import TYPE_CHECKING

import torch

from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.opening import is_kept
from radcap.captioning.models.plain_models import FrequentModel, NearestModel, RandomModel, vectors_of
from radcap.captioning.models.recall import CAPTIONS, save_recall
from radcap.captioning.training.choosing import fit_reranker
from radcap.captioning.training.encoding import make_encoder
from radcap.captioning.training.finishing import finish_plain
from radcap.captioning.training.judging import judged
from radcap.captioning.training.witnesses import make_recall
from radcap.core import UsageError
from radcap.vision.heads import make_head
from radcap.vision.settings import HeadSettings
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from radcap.captioning.models.recall import Recall
    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.parts import Captioned
    from radcap.vision.heads import Head

__all__ = ["train_frequent", "train_nearest", "train_random"]


def train_nearest(maker: CaptionMaker) -> None:
    """Write the folder of a captioner that answers with the captions of neighbours."""
    maker.tell_data()
    encoder, folder, parts, system = make_encoder(maker), maker.folder, maker.parts, maker.system
    encoder.begin(maker, parts.fit)
    eyes = encoder.eyes(maker)
    pool = None if maker.detector is not None else _pool(maker, eyes)
    memory = maker.memory
    recall = _remembered(maker, parts.fit if memory is None else memory.kept, eyes, pool)
    chooser = fit_reranker(maker, parts.fit, eyes)
    model = NearestModel(eyes, recall, system.decoder.neighbours, system.post, pool)
    model = model.choosing(chooser, system.rerank.by)
    figures = judged(maker, model, parts.held)
    if system.train.refit and parts.held is not None and memory is None:
        recall = _remembered(maker, parts.both, eyes, pool)
        chooser = fit_reranker(maker, parts.both, eyes)
    if maker.place.is_first:
        save_recall(recall, folder)
        if chooser is not None:
            chooser.save(folder.reranker)
        if is_kept(system):
            held_weights = encoder.backbone.state_dict().items()
            write_weight_file({f"backbone.{name}": one for name, one in held_weights}, folder.weights)
        facts = {"images": len(recall.captions), **figures}
        finish_plain(maker, facts if memory is None else {**facts, "memory": memory.to_json()})
        shutil.rmtree(folder.training, ignore_errors=True)


def _pool(maker: CaptionMaker, eyes: Eyes) -> Head:
    return make_head(HeadSettings(pool=maker.system.head.pool), eyes.width, 1).eval().to(maker.place.device)


@torch.no_grad()
def _remembered(maker: CaptionMaker, captioned: Captioned, eyes: Eyes, pool: Head | None) -> Recall:
    """The images that can be decoded, by their vectors."""
    ids: list[str] = []
    vectors: list[torch.Tensor] = []
    for sight in eyes.look(captioned.images):
        if sight.ids:
            ids += sight.ids
            vectors.append(vectors_of(sight, pool).cpu())
        if maker.talk.progress is not None:
            maker.talk.progress("images", len(ids))
    if not ids:
        raise UsageError(f"No image of {captioned.images.name} can be read. See radcap dataset check.")
    return make_recall(captioned.only(tuple(ids)), torch.cat(vectors).numpy())


def train_frequent(maker: CaptionMaker) -> None:
    """Write the folder of a captioner that says the same of every image."""
    maker.tell_data()
    parts, system = maker.parts, maker.system
    commonest, times = _commonest(parts.fit)
    figures = judged(maker, FrequentModel(commonest, system.post), parts.held)
    if system.train.refit:
        commonest, times = _commonest(parts.both)
    if maker.place.is_first:
        maker.folder.write_list(CAPTIONS, [commonest])
        finish_plain(maker, {"times": times, **figures})
        shutil.rmtree(maker.folder.training, ignore_errors=True)


def train_random(maker: CaptionMaker) -> None:
    """Write the folder of a captioner that says of an image what was said of any other."""
    maker.tell_data()
    parts, system = maker.parts, maker.system
    model = RandomModel(parts.fit.captions, system.train.seed, system.post)
    figures = judged(maker, model, parts.held)
    captions = parts.both.captions if system.train.refit else parts.fit.captions
    if maker.place.is_first:
        maker.folder.write_list(CAPTIONS, captions)
        finish_plain(maker, {"images": len(captions), **figures})
        shutil.rmtree(maker.folder.training, ignore_errors=True)


def _commonest(captioned: Captioned) -> tuple[str, int]:
    """A caption, and how often it stands there."""
    return Counter(captioned.captions).most_common(1)[0]
