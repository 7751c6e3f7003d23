"""Text encoders that others published, as folders that transformers reads: BERT and its kin, CLIP, SigLIP.

Invariant: only networks that are listed are built, from their configuration alone; nothing is fetched, and no
code of a folder is run. A text has the same vector in any batch, to rounding.
"""

# torch is typed in part, transformers hardly
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch import nn

from radcap.captioning.texts.word_vectors import units
from radcap.core import InputError
from radcap.vision.backbones.probing import first_line
from radcap.vision.backbones.published_folder import transformers_module
from radcap.vision.backbones.published_network import load_network
from radcap.vision.backbones.towers import shape_of
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from radcap.captioning.reranking.reranker import Floats
    from radcap.vision.training import Place

__all__ = ["TextNetwork", "first_token", "mean_of_tokens", "open_tokens", "pooled", "text_network"]

Pool: TypeAlias = Callable[[Any, torch.Tensor], torch.Tensor]

_TEXTS = {
    "bert": "BertModel",
    "clip_text_model": "CLIPTextModel",
    "deberta-v2": "DebertaV2Model",
    "distilbert": "DistilBertModel",
    "electra": "ElectraModel",
    "mpnet": "MPNetModel",
    "roberta": "RobertaModel",
    "siglip2_text_model": "Siglip2TextModel",
    "siglip_text_model": "SiglipTextModel",
    "xlm-roberta": "XLMRobertaModel",
}
_TOGETHER = 64  # texts


def mean_of_tokens(told: Any, mask: torch.Tensor) -> torch.Tensor:  # noqa: ANN401 - transformers' own
    """Of the last layer, without what fills texts up."""
    there = mask[..., None].to(told.last_hidden_state.dtype)
    return (told.last_hidden_state * there).sum(dim=1) / there.sum(dim=1)


def first_token(told: Any, mask: torch.Tensor) -> torch.Tensor:  # noqa: ANN401, ARG001 - as every pool
    """Of the last layer."""
    return told.last_hidden_state[:, 0]


def pooled(told: Any, mask: torch.Tensor) -> torch.Tensor:  # noqa: ANN401, ARG001 - as every pool
    """The network's own vector of a text."""
    return told.pooler_output


@dataclass(frozen=True, slots=True, eq=False)
class TextNetwork:
    """Pieces of text, the network over them, and how what it gives becomes one vector.

    `full` fills every text up to the longest there is, as SigLIP learnt it, which looks at what fills it.
    """

    tokenizer: Any
    network: Any
    pool: Pool
    place: Place
    longest: int
    projection: nn.Module
    full: bool = False

    def __call__(self, texts: Sequence[str]) -> Floats:
        parts = [self._vectors(texts[at : at + _TOGETHER]) for at in range(0, len(texts), _TOGETHER)]
        return units(np.concatenate(parts)) if parts else np.zeros((0, 1), np.float32)

    def save(self, folder: Path) -> None:
        """It stays in its own folder."""

    @torch.inference_mode()
    def _vectors(self, texts: Sequence[str]) -> Floats:
        padding = "max_length" if self.full else True
        given = self.tokenizer(
            [*texts], padding=padding, truncation=True, max_length=self.longest, return_tensors="pt"
        )
        ids = given["input_ids"].to(self.place.device)
        mask = given.get("attention_mask", torch.ones_like(given["input_ids"])).to(self.place.device)
        told = self.network(input_ids=ids, **({} if self.full else {"attention_mask": mask}))
        return self.projection(self.pool(told, mask)).float().cpu().numpy()


def text_network(config: Mapping[str, Any], weights: Mapping[str, torch.Tensor], path: Path) -> Any:  # noqa: ANN401 - transformers' own
    """The network of a configuration with weights by its own names, in evaluation mode."""
    package, kind = transformers_module(), str(config.get("model_type"))
    if kind not in _TEXTS:
        raise InputError(
            f"{path.parent} describes a {kind[:60]!r}, which is no text encoder that radcap knows."
            f" Known: {', '.join(sorted(_TEXTS))}, and models that hold one of these.",
            path=str(path.parent),
        )
    cls: Any = getattr(package, _TEXTS[kind])
    try:
        settings = cls.config_class.from_dict(shape_of(config))
    except Exception as error:  # each configuration has checks of its own
        why = f"{path.parent} describes no {cls.__name__}: {first_line(error)}"
        raise InputError(f"{why}. Get the published folder again.", path=str(path.parent)) from error
    with quiet(package):
        return load_network(cls, settings, weights, path, "the text encoder").eval()


def open_tokens(folder: Path) -> Any:  # noqa: ANN401 - transformers' own
    """The tokenizer of a folder."""
    package = transformers_module()
    try:
        with quiet(package):
            return package.AutoTokenizer.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False
            )
    except Exception as error:  # transformers raises what its many parts raise
        raise InputError(
            f"{folder} has no tokenizer that can be opened: {first_line(error)}. Get the published folder"
            " whole: tokenizer.json and tokenizer_config.json are a part of it.",
            path=str(folder),
        ) from error
