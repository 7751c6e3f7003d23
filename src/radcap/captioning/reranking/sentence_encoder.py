"""A published text encoder whose tokens are averaged: BioBERT and its kin, sentence encoders."""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

from radcap.captioning.reranking.text_networks import (
    TextNetwork,
    mean_of_tokens,
    open_tokens,
    text_network,
)
from radcap.vision.backbones.geometry import read_json
from radcap.vision.backbones.published_folder import find_folder, read_folder
from radcap.vision.backbones.towers import FILES, tower_weights

if TYPE_CHECKING:
    from radcap.vision.training import Place

__all__ = ["open_sentence_encoder"]

_MARKS = 2  # places that RoBERTa and its kin keep for themselves
_USUAL = 512


def open_sentence_encoder(model: str, place: Place) -> TextNetwork:
    """Of a folder, or a repository in the Hugging Face cache."""
    folder = find_folder(model, "config.json", "[rerank] model")
    config = read_json(folder / "config.json")
    found, path = read_folder(folder, FILES)
    network = text_network(config, tower_weights(found, str(config.get("model_type"))), path)
    tokenizer = open_tokens(folder)
    places = getattr(network.config, "max_position_embeddings", _USUAL) - _MARKS
    longest = min(places, tokenizer.model_max_length)
    network.to(place.device)
    return TextNetwork(tokenizer, network, mean_of_tokens, place, longest, nn.Identity())
