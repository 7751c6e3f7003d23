"""Chats with random weights, for machines that have no others: a vision tower of SigLIP, a decoder of Llama,
and the projector of LLaVA between them.

Invariant: nothing is fetched. The tokenizer is learnt from the captions, byte by byte at worst, so that every
text can be written; the template of a chat is ours.
"""

# transformers and tokenizers are typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from radcap.core import Missing
from radcap.detection.text.transformers_library import transformers_module
from radcap.detection.text.vlm import VisionLanguageModel
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vision.training import Place

__all__ = ["GEOMETRIES", "Geometry", "drawn_chat", "learnt_tokenizer"]

_PAD, _END, _BEGIN, _IMAGE = "<pad>", "<end>", "<begin>", "<image>"
_TEMPLATE = (
    "{% for turn in messages %}<begin>{{ turn['role'] }}\n{% for part in turn['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}<end>\n"
    "{% endfor %}{% if add_generation_prompt %}<begin>assistant\n{% endif %}"
)


@dataclass(frozen=True, slots=True)
class Geometry:
    """Widths and numbers of layers of eyes and words; the image is cut into patches."""

    image: int
    patch: int
    eyes: int
    words: int
    layers: int
    heads: int


GEOMETRIES: Mapping[str, Geometry] = {
    "tiny": Geometry(image=32, patch=8, eyes=32, words=48, layers=2, heads=2),
    "small": Geometry(image=224, patch=16, eyes=256, words=384, layers=6, heads=4),
}


def drawn_chat(
    geometry: Geometry, texts: Sequence[str], size: int, place: Place, seed: int
) -> VisionLanguageModel:
    """A model whose words are learnt from texts, with weights that a seed draws."""
    transformers = transformers_module()
    with quiet(transformers):
        tokenizer = learnt_tokenizer(texts, size, (_PAD, _END, _BEGIN, _IMAGE))
        torch.manual_seed(seed)
        model = transformers.LlavaForConditionalGeneration(_config(geometry, tokenizer)).float()
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    processor = _processor(geometry, tokenizer)
    processor.tokenizer.padding_side = "left"
    model.to(place.device)
    return VisionLanguageModel(processor, model.eval(), "llava", place, Path("the drawn chat"))


def learnt_tokenizer(texts: Sequence[str], size: int, marks: Sequence[str]) -> Any:  # noqa: ANN401 - of transformers
    """A tokenizer of transformers; the marks are what fills up, what ends, and others."""
    try:
        parts: Any = importlib.import_module("tokenizers")
    except ImportError as error:
        raise Missing(
            "tokenizers", "It learns the pieces of words of a chat.", "Install it: pip install 'radcap[lm]'."
        ) from error
    pieces = parts.Tokenizer(parts.models.BPE())
    pieces.pre_tokenizer = parts.pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = parts.decoders.ByteLevel()
    alphabet = parts.pre_tokenizers.ByteLevel.alphabet()
    trainer = parts.trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(marks), initial_alphabet=alphabet, show_progress=False
    )
    pieces.train_from_iterator(texts, trainer)
    return transformers_module().PreTrainedTokenizerFast(
        tokenizer_object=pieces,
        pad_token=marks[0],
        eos_token=marks[1],
        extra_special_tokens={"image_token": _IMAGE} if _IMAGE in marks else {},
        additional_special_tokens=list(marks[2:]),
    )


def _config(geometry: Geometry, tokenizer: Any) -> Any:  # noqa: ANN401 - of transformers
    transformers = transformers_module()
    eyes = {"image_size": geometry.image, "patch_size": geometry.patch}
    widths = {"num_hidden_layers": geometry.layers, "num_attention_heads": geometry.heads}
    return transformers.LlavaConfig(
        vision_config=transformers.SiglipVisionConfig(
            hidden_size=geometry.eyes,
            intermediate_size=4 * geometry.eyes,
            vision_use_head=False,
            **eyes,
            **widths,
        ),
        text_config=transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=geometry.words,
            intermediate_size=3 * geometry.words,
            max_position_embeddings=4096,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            tie_word_embeddings=True,
            **widths,
        ),
        image_token_index=tokenizer.convert_tokens_to_ids(_IMAGE),
        image_seq_length=(geometry.image // geometry.patch) ** 2,
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
        tie_word_embeddings=True,
    )


def _processor(geometry: Geometry, tokenizer: Any) -> Any:  # noqa: ANN401 - of transformers
    transformers = transformers_module()
    looks = transformers.SiglipImageProcessor(size={"height": geometry.image, "width": geometry.image})
    return transformers.LlavaProcessor(
        looks,
        tokenizer,
        patch_size=geometry.patch,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=0,
        chat_template=_TEMPLATE,
    )
