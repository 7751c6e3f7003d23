"""Kinds of networks, as far as a method cares, and the method that each is explained by.

Invariant: the defaults are those that the study chose (docs/explainability.md, made by
scripts/study_explanations.py), which looked at all kinds but chats: those are only asked, as the others that
write are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.lenses.chat_lens import ChatLens
from radcap.explanation.lenses.neighbour_lens import NeighbourLens
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.lenses.writer_lens import WriterLens
from radcap.vision.heads.csra import CsraHead

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.explanation.lenses.lens import Lens
    from radcap.vision.backbones import Backbone

__all__ = ["DEFAULTS", "FAMILIES", "default_method", "family_of"]

FAMILIES: Mapping[str, str] = {
    "cnn": "a convolutional network that names concepts",
    "csra": "a network with a CSRA head",
    "vit": "a vision transformer that names concepts",
    "neighbours": "a network whose neighbours answer",
    "recurrent": "a captioner with an LSTM or a GRU",
    "transformer": "a captioner that looks at the image beside its words",
    "prefix": "a captioner that reads the image before its words",
    "chat": "a chat that is shown the image inside of a question",
}
DEFAULTS: Mapping[str, str] = dict.fromkeys(FAMILIES, "occlusion") | {"csra": "csra-map", "vit": "chefer"}
_DECODERS: Mapping[str, str] = {
    "lstm": "recurrent",
    "gru": "recurrent",
    "transformer": "transformer",
    "encoder-decoder": "transformer",
    "blip": "transformer",
}


def default_method(family: str) -> str:
    """What the study found best for a kind of network."""
    return DEFAULTS[family]


def family_of(lens: Lens) -> str:
    """The kind of a network."""
    if isinstance(lens, WriterLens):
        looks_beside = hasattr(lens.writer.decoder, "encoder")  # a language model that encodes first
        kind = "transformer" if looks_beside else lens.model.scribe.system.decoder.kind
        return _DECODERS.get(kind, "prefix")
    if isinstance(lens, ChatLens):
        return "chat"
    if isinstance(lens, NeighbourLens):
        return "neighbours"
    if isinstance(lens, NetworkLens) and isinstance(lens.network.head, CsraHead):
        return "csra"
    return "vit" if _sees_all(lens.backbone) else "cnn"


def _sees_all(backbone: Backbone) -> bool:
    """Whether a network's layers attend to the whole image, as timm's vision transformers do."""
    network = getattr(backbone.body, "network", None)
    return hasattr(network, "blocks") and hasattr(network, "patch_embed")
