"""The parts of a captioner from its settings: writer, heads, and the weights that are its own.

Invariant: what is kept with a captioner is what was trained for it; an encoder that is a detector's, or that
a package brings, is had from there again. The head of the semantic types is not kept: it helps an encoder to
learn and answers nobody, and another vocabulary would have other types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from radcap.captioning.decoders import make_decoder
from radcap.captioning.network import Top
from radcap.captioning.writer import Writer
from radcap.core import DIRECTIONS, MODALITIES, REGIONS, InputError
from radcap.detection.semantic_kinds import semantic_types_of
from radcap.vision.heads import make_head

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import nn

    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.tokens import Tokenizer
    from radcap.core import Cui

__all__ = ["JOINT", "TYPES", "kept_weights", "make_top", "put_kept", "task_labels"]

TYPES = "types"
# The joint tasks by name, with the concepts that each is about; none stands for all labels.
JOINT: Mapping[str, Mapping[Cui, str] | None] = {
    "concepts": None,
    TYPES: None,
    "modality": MODALITIES,
    "region": REGIONS,
    "direction": DIRECTIONS,
}


def make_top(system: CaptionSystem, tokenizer: Tokenizer, labels: tuple[Cui, ...], seen: int) -> Top:
    """The writer with the heads of the joint tasks, over feature maps of a width."""
    decoder = make_decoder(system.decoder, tokenizer.size)
    writer = Writer(decoder, seen, len(labels), pad=tokenizer.pad, grid=system.decoder.grid)
    heads = {
        name: make_head(system.head, seen, len(task_labels(name, labels)))
        for name in JOINT
        if getattr(system.joint, name) and task_labels(name, labels)
    }
    return Top(writer, heads)


def task_labels(task: str, labels: tuple[Cui, ...]) -> tuple[Cui, ...]:
    """The labels that a joint task is about; the semantic types of all, where it is about those."""
    if task == TYPES:
        return tuple(sorted({one for types in semantic_types_of(labels) for one in types}))
    about = JOINT[task]
    return labels if about is None else tuple(one for one in labels if one in about)


def kept_weights(top: Top, backbone: nn.Module | None = None) -> dict[str, torch.Tensor]:
    """What is written: of the decoder its own weights alone."""
    inner = "writer.decoder."
    left_out = (inner, f"heads.{TYPES}.")
    held = {name: value for name, value in top.state_dict().items() if not name.startswith(left_out)}
    held |= {f"{inner}{name}": value for name, value in top.writer.decoder.own_weights().items()}
    if backbone is not None:
        held |= {f"backbone.{name}": value for name, value in backbone.state_dict().items()}
    return held


def put_kept(weights: Mapping[str, torch.Tensor], top: Top, backbone: nn.Module | None = None) -> None:
    """Weights as `kept_weights` gave them; others are refused with the first that does not fit."""
    wanted = kept_weights(top, backbone)
    wrong = [name for name in wanted if name not in weights or weights[name].shape != wanted[name].shape]
    wrong += [name for name in weights if name not in wanted]
    if wrong:
        raise InputError(f"{wrong[0]} is another than system.toml, tokenizer.json and labels.csv ask for.")
    with torch.no_grad():
        for name, value in wanted.items():
            value.copy_(weights[name])
