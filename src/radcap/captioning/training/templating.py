"""The template captioner: a detector, and the grammar over what it decides for. Nothing is trained."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.plain_models import TemplateModel
from radcap.captioning.training.finishing import finish_plain
from radcap.captioning.training.judging import judged

if TYPE_CHECKING:
    from radcap.captioning.training.maker import CaptionMaker

__all__ = ["train_template"]


def train_template(maker: CaptionMaker) -> None:
    """Write the folder of a captioner that says what its detector found."""
    maker.tell_data()
    detector = maker.detector
    assert detector is not None  # noqa: S101 - a system without is refused when it is read
    model = TemplateModel(Eyes(maker.place, detector.view, None, detector), detector.names, maker.system.post)
    figures = judged(maker, model, maker.parts.held)
    if maker.place.is_first:
        finish_plain(maker, figures)
        shutil.rmtree(maker.folder.training, ignore_errors=True)
