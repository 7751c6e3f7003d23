"""The parts of a captioner from its settings: writer, heads, and the weights that are its own.

Invariant: what is kept with a captioner is what was trained for it; an encoder that is a detector's, or that
a package brings, is had from there again. The head of the semantic types is not kept: it helps an encoder to
learn and answers nobody, and another vocabulary would have other types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from radcap.captioning.blocks import FAMILIES
from radcap.captioning.decoders import make_decoder
from radcap.captioning.network import Top
from radcap.captioning.writer import Writer
from radcap.core import DIRECTIONS, MODALITIES, REGIONS, InputError
from radcap.detection.semantic_kinds import semantic_types_of
from radcap.vision.bridge import Bridge
from radcap.vision.heads import make_head
from radcap.vision.settings import BridgeSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import nn

    from radcap.captioning.decoders import Decoder
    from radcap.captioning.pretrained import Published
    from radcap.captioning.settings import DecoderSettings
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.tokens import Tokenizer
    from radcap.captioning.writer import AnyWriter
    from radcap.core import Cui

__all__ = ["JOINT", "TYPES", "bridge_settings", "kept_weights", "make_top", "put_kept", "task_labels"]

TYPES = "types"
# The joint tasks by name, with the concepts that each is about; none stands for all labels.
JOINT: Mapping[str, Mapping[Cui, str] | None] = {
    "concepts": None,
    TYPES: None,
    "modality": MODALITIES,
    "region": REGIONS,
    "direction": DIRECTIONS,
}


def make_top(
    system: CaptionSystem,
    tokenizer: Tokenizer,
    labels: tuple[Cui, ...],
    seen: int,
    published: Published | None = None,
) -> Top:
    """The writer with the heads of the joint tasks, over feature maps of a width."""
    pad, grid = tokenizer.pad, system.decoder.grid
    writer: AnyWriter
    if published is not None:
        writer = published.writer(seen, len(labels), pad=pad, grid=grid)
    else:
        decoder, settings = _decoder(system, tokenizer), bridge_settings(system.decoder)
        bridge = Bridge(settings, seen) if settings.queries else None
        writer = Writer(decoder, seen, len(labels), pad=pad, grid=grid, bridge=bridge)
    writer.settle(system.condition, reads=system.language.epochs > 0)
    width = seen if writer.bridge is None else writer.bridge.width
    heads = {
        name: make_head(system.head, width, len(task_labels(name, labels)))
        for name in JOINT
        if getattr(system.joint, name) and task_labels(name, labels)
    }
    return Top(writer, heads)


def bridge_settings(decoder: DecoderSettings) -> BridgeSettings:
    """The bridge of a decoder's table, of which a Q-Former has queries."""
    if decoder.bridge == "linear" and decoder.kind != "q-former":
        return BridgeSettings()
    return BridgeSettings(
        queries=decoder.queries,
        layers=decoder.bridge_layers,
        width=decoder.width,
        heads=decoder.heads,
        factor=decoder.factor,
        drop=decoder.drop,
        grid=decoder.grid,
    )


def _decoder(system: CaptionSystem, tokenizer: Tokenizer) -> Decoder:
    """Ours, or one of a published kind with random weights."""
    if system.decoder.kind not in FAMILIES.table:
        return make_decoder(system.decoder, tokenizer.size)
    from radcap.captioning.pretrained import family_of

    geometry = system.pretrained.geometry
    return family_of(system.decoder.kind).drawn(geometry, system.decoder, tokenizer)


def task_labels(task: str, labels: tuple[Cui, ...]) -> tuple[Cui, ...]:
    """The labels that a joint task is about; the semantic types of all, where it is about those."""
    if task == TYPES:
        return tuple(sorted({one for types in semantic_types_of(labels) for one in types}))
    about = JOINT[task]
    return labels if about is None else tuple(one for one in labels if one in about)


def kept_weights(
    top: Top, backbone: nn.Module | None = None, published: Published | None = None
) -> dict[str, torch.Tensor]:
    """What is written: of the decoder its own weights alone, of a published model what stands beside it."""
    heads = {name: one for name, one in top.heads.items() if name != TYPES}
    held = {
        f"heads.{name}.{key}": one for name, head in heads.items() for key, one in head.state_dict().items()
    }
    held |= {f"writer.{name}": value for name, value in top.writer.own_weights().items()}
    if published is not None:
        held |= {f"published.{name}": value for name, value in published.own_weights().items()}
    if backbone is not None:
        held |= {f"backbone.{name}": value for name, value in backbone.state_dict().items()}
    return held


def put_kept(
    weights: Mapping[str, torch.Tensor],
    top: Top,
    backbone: nn.Module | None = None,
    published: Published | None = None,
) -> None:
    """Weights as `kept_weights` gave them; others are refused with the first that does not fit."""
    wanted = kept_weights(top, backbone, published)
    wrong = [name for name in wanted if name not in weights or weights[name].shape != wanted[name].shape]
    wrong += [name for name in weights if name not in wanted]
    if wrong:
        raise InputError(f"{wrong[0]} is another than system.toml, tokenizer.json and labels.csv ask for.")
    with torch.no_grad():
        for name, value in wanted.items():
            value.copy_(weights[name])
