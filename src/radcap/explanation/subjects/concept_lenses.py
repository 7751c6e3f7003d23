"""The lens of a model that names concepts: its head's, or that of the neighbours that answer in its place."""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from radcap.explanation.lenses.neighbour_lens import NeighbourLens
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.lenses.sighting import sighted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from radcap.detection.models.network_model import NetworkModel

__all__ = ["concept_lens", "vector_of"]


def concept_lens(model: NetworkModel, data: bytes, name: str) -> NetworkLens | NeighbourLens:
    """A model with an image before it."""
    seen = sighted(data, name, model.view, model.place.device)
    places = {label: number for number, label in enumerate(model.labels)}
    plain = NetworkLens(model.network, places, seen.pixels, seen.frame)
    if model.retrieval is None or model.index is None:
        return plain
    found = model.index.search(vector_of(plain)[None], model.retrieval.k)
    near = tuple(one for one in found.places[0].tolist() if one >= 0)
    network = model.network
    return NeighbourLens(network.backbone, network.head, model.index, near, seen.pixels, seen.frame)


@torch.no_grad()
def vector_of(lens: NetworkLens | NeighbourLens, features: torch.Tensor | None = None) -> NDArray[np.float32]:
    """What the image is compared by; its features may be known."""
    head = lens.network.head if isinstance(lens, NetworkLens) else lens.head
    known = lens.backbone(lens.pixels) if features is None else features
    return head.embed(known).float()[0].cpu().numpy()
