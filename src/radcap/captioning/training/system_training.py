"""Train a caption system into a folder, which may hold what an earlier try left there.

Invariant: what can be refused is refused before anything is trained. A detector that a system names is
trained before the captioner, into its folder; after a kill, one that is whole is not trained again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.blocks import CAPTIONERS, WRITING
from radcap.captioning.chats.bases import check_chat
from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.pretrained import has_own_eyes
from radcap.captioning.refining.opening import check_refiner
from radcap.captioning.training.choosing import check_reranker
from radcap.captioning.training.detector_systems import concept_file, read_detector
from radcap.captioning.training.encoding import make_encoder
from radcap.captioning.training.maker import CaptionMaker
from radcap.captioning.training.parts import CaptionParts
from radcap.detection.talk import SILENT, Talk
from radcap.detection.training import train_system
from radcap.detection.training.beginning import begin
from radcap.metrics.caption_metrics import caption_metric
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.captioning.system import CaptionSystem
    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptSystem

__all__ = ["check_captioner", "make_captioner", "train_captions"]

_BLIND = {"frequent", "random", "template", "chat"}  # have no backbone of their own


def train_captions(
    system: CaptionSystem,
    dataset: Dataset,
    out: Path,
    talk: Talk = SILENT,
    read: Callable[[str], ConceptSystem] = concept_file,
) -> CaptionFolder:
    """Train a captioner of any kind, or several and what joins them; `read` gives the concept system that
    [detector] system names."""
    if system.member:
        from radcap.captioning.training.joining import train_members

        return train_members(system, dataset, out, talk, read)
    folder, place = CaptionFolder(out), pick_place(system.train.device, system.train.precision)
    parts = CaptionParts.of(dataset, system.data)
    talk = talk if place.is_first else SILENT
    concepts = read_detector(system, read)
    maker = CaptionMaker(system, parts, folder, place, talk, dataset.names, concepts)
    check_captioner(maker)
    make_captioner(maker, dataset)
    return folder


def make_captioner(maker: CaptionMaker, dataset: Dataset) -> None:
    """Train what was checked, its detector first where one is named, into its folder."""
    folder, concepts = maker.folder, maker.concepts
    if maker.place.is_first:
        begin(folder, maker.fingerprint)
    if concepts is not None and not folder.concepts.is_whole:
        maker.talk.tell(f"Detector: {concepts.name}")
        train_system(concepts, dataset, folder.concepts.path, maker.talk)
    CAPTIONERS.factory(maker.system.decoder.kind)(maker)


def check_captioner(maker: CaptionMaker) -> None:
    """Refuse what is named and is not there, before the folder is begun."""
    system = maker.system
    kind, writes = system.decoder.kind, system.decoder.kind in WRITING
    _ = maker.detector_folder, maker.language, maker.memory
    check_refiner(system.refine, maker.place)
    unmade = maker.concepts is not None and system.detector.share  # eyes that are not there yet
    if writes and (system.tokenizer.file or kind == "lm" or has_own_eyes(system)):
        _ = maker.tokenizer
    if kind not in _BLIND and not unmade:
        make_encoder(maker)
    if kind == "chat":
        check_chat(system.pretrained)
    check_reranker(system.rerank, maker.parts.fit.captions, maker.place)
    wanted = (
        system.train.score,
        system.scst.metric if system.scst.epochs else "",
        system.generate.metric if system.generate.method == "mbr" else "",
    )
    for metric in filter(None, wanted if writes or kind == "chat" else ()):
        caption_metric(metric).load()
