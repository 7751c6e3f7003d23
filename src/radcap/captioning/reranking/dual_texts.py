"""The text sides of published dual encoders: CLIP's and SigLIP's own, and the BERT of BiomedCLIP and MedCLIP.

Invariant: every weight of a text side comes from the folder; what a folder asks for beyond these is refused.
"""

# torch is typed in part, transformers hardly
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import torch
from torch import nn

from radcap.captioning.reranking.text_networks import (
    TextNetwork,
    first_token,
    mean_of_tokens,
    open_tokens,
    pooled,
    text_network,
)
from radcap.core import InputError
from radcap.vision.backbones.geometry import read_json
from radcap.vision.backbones.open_clip import CONFIG as OPEN_CLIP
from radcap.vision.backbones.weights import fill

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.captioning.reranking.text_networks import Pool
    from radcap.vision.training import Place

__all__ = ["medclip_texts", "open_clip_texts", "own_texts"]

Weights: TypeAlias = "Mapping[str, torch.Tensor]"

_POOLS: Mapping[str, Pool] = {
    "cls_last_hidden_state_pooler": first_token,
    "mean_pooler": mean_of_tokens,
}
_USUAL_LONGEST = 77
_HEAD = 64  # the width of an attention head of a BERT that does not say
_BERT, _PROJECTION = "text.transformer.", "text.proj."
_MEDCLIP_BERT, _MEDCLIP_PROJECTION = "text_model.model.", "text_model.projection_head."
_MEDCLIP_LAYERS = (1, 2, -1)
_SIDES = 2  # of a matrix


def own_texts(folder: Path, found: Weights, path: Path, place: Place) -> TextNetwork:
    """The text side of CLIP or SigLIP."""
    outer = read_json(folder / "config.json")
    config = outer.get("text_config")
    if not isinstance(config, dict):
        raise InputError(
            f"{folder} is no dual encoder: its config.json describes no text side. Name a folder of CLIP,"
            " SigLIP, BiomedCLIP or MedCLIP.",
            path=str(folder),
        )
    kind = f"{outer.get('model_type')}_text_model"
    inside = {name: one for name, one in found.items() if name.startswith("text_model.")}
    network = text_network({**cast("dict[str, Any]", config), "model_type": kind}, inside, path)
    longest = int(network.config.max_position_embeddings)
    projection = _projection(_part(found, "text_projection."), path)
    return _placed(folder, network, pooled, place, longest, projection, full=kind.startswith("siglip"))


def open_clip_texts(
    folder: Path, held: Mapping[str, Any], found: Weights, path: Path, place: Place
) -> TextNetwork:
    """The BERT of an open_clip folder, whose configuration is `held`."""
    bare = {name.removeprefix("module."): one for name, one in found.items()}
    model: Any = held.get("model_cfg")
    text: Any = cast("dict[str, Any]", model).get("text_cfg") if isinstance(model, dict) else None
    text = cast("dict[str, Any]", text) if isinstance(text, dict) else {}
    pool, inside = _POOLS.get(str(text.get("hf_pooler_type", "mean_pooler"))), _part(bare, _BERT)
    if pool is None or not inside:
        raise InputError(
            f"{folder / OPEN_CLIP} describes a text side that radcap does not build: a BERT whose first token"
            " or mean is taken is known. Name the same model as transformers saves it.",
            path=str(folder / OPEN_CLIP),
        )
    network = _bert(inside, path)
    longest = min(
        int(text.get("context_length", _USUAL_LONGEST)), int(network.config.max_position_embeddings)
    )
    return _placed(folder, network, pool, place, longest, _projection(_part(bare, _PROJECTION), path))


def medclip_texts(folder: Path, found: Weights, path: Path, place: Place) -> TextNetwork:
    """MedCLIP's BERT, whose folder describes nothing; what fills texts up has no part in the mean."""
    network = _bert(_part(found, _MEDCLIP_BERT), path)
    network.config.output_hidden_states = True
    projection = _projection(_part(found, _MEDCLIP_PROJECTION), path)
    return _placed(folder, network, _mean_of_layers, place, _USUAL_LONGEST, projection)


def _mean_of_layers(told: Any, mask: torch.Tensor) -> torch.Tensor:  # noqa: ANN401 - transformers' own
    """Over the first two layers and the last, and their tokens, as MedCLIP's authors take it."""
    layers = torch.stack([told.hidden_states[n] for n in _MEDCLIP_LAYERS]).mean(dim=0)
    there = mask[..., None].to(layers.dtype)
    return (layers * there).sum(dim=1) / there.sum(dim=1)


def _placed(
    folder: Path,
    network: Any,  # noqa: ANN401 - transformers' own
    pool: Pool,
    place: Place,
    longest: int,
    projection: nn.Module,
    *,
    full: bool = False,
) -> TextNetwork:
    tokenizer = open_tokens(folder)
    network.to(place.device)
    return TextNetwork(tokenizer, network, pool, place, longest, projection.to(place.device), full)


def _part(weights: Weights, prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): one for name, one in weights.items() if name.startswith(prefix)}


def _bert(weights: Weights, path: Path) -> Any:  # noqa: ANN401 - transformers' own
    """A BERT whose folder does not describe it, by the shapes of its weights."""
    try:
        words, width = weights["embeddings.word_embeddings.weight"].shape
        config = {
            "model_type": "bert",
            "vocab_size": words,
            "hidden_size": width,
            "num_hidden_layers": len({name.split(".")[2] for name in weights if ".layer." in name}),
            "num_attention_heads": max(1, width // _HEAD),
            "intermediate_size": len(weights["encoder.layer.0.intermediate.dense.weight"]),
            "max_position_embeddings": len(weights["embeddings.position_embeddings.weight"]),
            "type_vocab_size": len(weights["embeddings.token_type_embeddings.weight"]),
        }
    except (KeyError, ValueError) as error:
        raise InputError(
            f"{path} holds no BERT that reads texts ({error}). Get the published folder again.",
            path=str(path),
        ) from error
    return text_network(config, weights, path)


def _projection(weights: Weights, path: Path) -> nn.Module:
    """One layer, or two with a bend between; none where there are no weights."""
    if not weights:
        return nn.Identity()
    first, *more = (_layer(weights[name]) for name in sorted(weights))
    layers = nn.Sequential(first, nn.GELU(), *more) if more else first
    fill(layers, weights, path)
    return layers.eval()


def _layer(weight: torch.Tensor) -> nn.Module:
    """One that the weight fits into, if it is one of a layer."""
    wide, width = weight.shape if weight.ndim == _SIDES else (1, 1)
    return nn.Linear(width, wide, bias=False)
