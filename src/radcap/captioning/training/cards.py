"""The card of a captioner: what it is, what it saw, how good it was on images it did not learn from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from radcap.core import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.captioning.training.maker import CaptionMaker
    from radcap.captioning.training.stages import Taught
    from radcap.vision.training import Trained

__all__ = ["caption_card", "plain_card", "stage_facts"]


def caption_card(maker: CaptionMaker, taught: Taught, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The card of a captioner that writes."""
    writer = taught.top.writer
    weights = sum(one.numel() for one in writer.parameters() if one.requires_grad)
    about = {
        "decoder": maker.system.decoder.kind,
        "weights": weights,
        "tokens": maker.tokenizer.size,
        "labels": len(maker.labels),
        "training": {"stopped": taught.stopped},
    }
    return plain_card(maker, {**about, **facts})


def plain_card(maker: CaptionMaker, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What every captioner's card says."""
    return {
        "name": maker.system.name,
        "task": maker.system.task,
        "radcap": VERSION,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "device": maker.place.device.type,
        "precision": maker.place.precision,
        **facts,
        "intended_use": "Research on radiology images. Not for diagnosis.",
    }


def stage_facts(trained: Trained) -> dict[str, Any]:
    """How a stage went."""
    rows = trained.history.rows
    return {
        "epochs": len(rows),
        "kept_epoch": trained.epoch,
        "stopped": trained.stopped,
        "last_loss": rows[-1].loss if rows else None,
        "held_loss": rows[trained.epoch].held_loss if rows else None,
        "held_score": rows[trained.epoch].held_score if rows else None,
        "images_per_s": max((row.images_per_s for row in rows), default=None),
    }
