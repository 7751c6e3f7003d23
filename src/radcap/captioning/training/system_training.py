"""Train a caption system into a folder, which may hold what an earlier try left there.

Invariant: what can be refused is refused before anything is trained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.blocks import CAPTIONERS, DECODERS
from radcap.captioning.chats.bases import check_chat
from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.training.encoding import make_encoder
from radcap.captioning.training.maker import CaptionMaker
from radcap.captioning.training.parts import CaptionParts
from radcap.detection.talk import SILENT, Talk
from radcap.detection.training.beginning import begin
from radcap.metrics.caption_metrics import caption_metric
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.captioning.system import CaptionSystem
    from radcap.datasets import Dataset

__all__ = ["train_captions"]

_BLIND = {"frequent", "template", "chat"}  # have no backbone of their own


def train_captions(system: CaptionSystem, dataset: Dataset, out: Path, talk: Talk = SILENT) -> CaptionFolder:
    """Train a captioner of any kind."""
    folder, place = CaptionFolder(out), pick_place(system.train.device, system.train.precision)
    parts = CaptionParts.of(dataset, system.data)
    maker = CaptionMaker(system, parts, folder, place, talk if place.is_first else SILENT, dataset.names)
    _check(maker)
    if place.is_first:
        begin(folder, maker.fingerprint)
    CAPTIONERS.factory(system.decoder.kind)(maker)
    return folder


def _check(maker: CaptionMaker) -> None:
    """Refuse what is named and is not there, before the folder is begun."""
    system = maker.system
    kind, writes = system.decoder.kind, system.decoder.kind in DECODERS.table
    _ = maker.detector_folder, maker.language
    if writes and (system.tokenizer.file or kind == "lm"):
        _ = maker.tokenizer
    if kind not in _BLIND:
        make_encoder(maker)
    if kind == "chat":
        check_chat(system.pretrained)
    wanted = (
        system.train.score,
        system.scst.metric if system.scst.epochs else "",
        system.generate.metric if system.generate.method == "mbr" else "",
    )
    for metric in filter(None, wanted if writes or kind == "chat" else ()):
        caption_metric(metric).load()
