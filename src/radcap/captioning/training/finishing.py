"""The end of a training: the detector beside the captioner, the settings, the card."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.captioning.models.folder import OWN_DETECTOR, weights_digest
from radcap.captioning.training.cards import plain_card
from radcap.zoo.finding import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.training.maker import CaptionMaker

__all__ = ["finish_plain", "leaning", "settled", "with_detector"]


def with_detector(maker: CaptionMaker) -> CaptionSystem:
    """The system as it is kept: with a copy of its detector beside it, unless that is one of the zoo, as
    everybody has; and a reranker's folder by its whole path."""
    system, folder, detector = settled(maker.system), maker.folder, maker.detector_folder
    if detector is None or system.detector.model.startswith(PREFIX):
        return system
    if maker.concepts is None:  # else it was made there
        shutil.copytree(detector.path, folder.concepts.path, dirs_exist_ok=True)
    return replace(system, detector=replace(system.detector, model=OWN_DETECTOR, system=""))


def settled(system: CaptionSystem) -> CaptionSystem:
    """The same system from wherever the model is opened."""
    model = Path(system.rerank.model)
    if not system.rerank.model or not model.is_dir():
        return system
    return replace(system, rerank=replace(system.rerank, model=str(model.absolute())))


def leaning(maker: CaptionMaker) -> dict[str, str] | None:
    """The detector that a captioner leans on, so that it is known again."""
    folder, detector = maker.detector_folder, maker.system.detector
    named = detector.model or detector.system
    return None if folder is None else {"model": named, "weights": weights_digest(folder)}


def finish_plain(maker: CaptionMaker, facts: Mapping[str, Any]) -> None:
    """Settings and card of a captioner that does not write word after word."""
    maker.folder.write_system(with_detector(maker))
    about = {"decoder": maker.system.decoder.kind, "data": maker.parts.to_json(), "detector": leaning(maker)}
    maker.folder.write_card(plain_card(maker, {"training": {"stopped": "epochs"}, **about, **facts}))
