"""The networks behind lenses, so that they can be made noise, and lenses over others in their place.

Invariant: a lens over another network shows it the same image, the same words and the same neighbours.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from torch import nn

from radcap.captioning.models.eyes import Eyes
from radcap.explanation.faithfulness.randomisation import mean_sanity, sanity
from radcap.explanation.lenses.chat_lens import ChatLens
from radcap.explanation.lenses.neighbour_lens import NeighbourLens
from radcap.explanation.lenses.network_lens import Headed, NetworkLens
from radcap.explanation.lenses.writer_lens import WriterLens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.writer import AnyWriter
    from radcap.explanation.faithfulness.values import Sanity
    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.methods.method import Method
    from radcap.explanation.targets import Target
    from radcap.vision.backbones import Backbone
    from radcap.vision.heads import Head

__all__ = ["Parts", "mean_of", "network_of", "sanity_of", "with_network"]


class Parts(nn.Module):
    """A backbone and what stands on it: a head, or a writer."""

    def __init__(self, backbone: nn.Module, top: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone
        self.top = top


def network_of(lens: Lens) -> Parts:
    """All that decides, as one module."""
    if isinstance(lens, WriterLens):
        return Parts(lens.backbone, lens.writer)
    if isinstance(lens, ChatLens):
        return Parts(lens.backbone, lens.chat.model)
    if isinstance(lens, NeighbourLens):
        return Parts(lens.backbone, lens.head)
    return Parts(lens.backbone, cast("NetworkLens", lens).network.head)


def with_network(lens: Lens, network: nn.Module) -> Lens:
    """The same lens over another network of the same shape."""
    parts = cast("Parts", network)
    backbone = cast("Backbone", parts.backbone)
    if isinstance(lens, WriterLens):
        eyes = Eyes(lens.model.eyes.place, lens.model.eyes.view, backbone)
        scribe = replace(lens.model.scribe, writer=cast("AnyWriter", parts.top))
        return replace(lens, model=replace(lens.model, eyes=eyes, scribe=scribe))
    if isinstance(lens, ChatLens):
        return lens.over(parts.top)
    if isinstance(lens, NeighbourLens):
        return replace(lens, backbone=backbone, head=cast("Head", parts.top))
    return replace(cast("NetworkLens", lens), network=Headed(backbone, cast("Head", parts.top)))


def sanity_of(
    method: Method, lens: Lens, targets: Sequence[Target], *, stages: int = 4, seed: int = 0
) -> Sanity:
    """Whether the maps of one image change as the network behind a lens becomes noise."""
    return sanity(
        method,
        lambda network: with_network(lens, network),
        network_of(lens),
        targets,
        stages=stages,
        seed=seed,
    )


def mean_of(parts: Sequence[Sanity]) -> Sanity | None:
    """Over images; nothing where none was tried."""
    return mean_sanity(parts) if parts else None
