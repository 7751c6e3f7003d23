"""Train a caption system into a folder, which may hold what an earlier try left there.

Invariant: what can be refused is refused before anything is trained.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.captioning.blocks import CAPTIONERS
from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.training.maker import CaptionMaker
from radcap.captioning.training.parts import CaptionParts
from radcap.detection.talk import SILENT, Talk
from radcap.detection.training.beginning import begin
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.captioning.system import CaptionSystem
    from radcap.datasets import Dataset

__all__ = ["train_captions"]


def train_captions(system: CaptionSystem, dataset: Dataset, out: Path, talk: Talk = SILENT) -> CaptionFolder:
    """Train a captioner of any kind."""
    folder, place = CaptionFolder(out), pick_place(system.train.device, system.train.precision)
    parts = CaptionParts.of(dataset, system.data)
    told = replace(talk, score=system.train.score or "score") if place.is_first else SILENT
    maker = CaptionMaker(system, parts, folder, place, told, dataset.names)
    _ = maker.detector_folder, maker.language  # refused before the folder is begun
    if place.is_first:
        begin(folder, parts.fingerprint(system))
    CAPTIONERS.factory(system.decoder.kind)(maker)
    return folder
