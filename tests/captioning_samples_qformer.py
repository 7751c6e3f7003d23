"""BLIP-2 and InstructBLIP in small: random weights as transformers saves them, processor and all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from captioning_samples_pretrained import SIZE, shaken, write_words
from captioning_samples_seq2seq import unigrams
from published_samples import SCALING, transformers
from tokenizers import Tokenizer, processors

from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["KINDS", "QUERIES", "saved", "tokenizer", "whole"]

QUERIES = 4
TEXTS = (
    "chest ct with a nodule.",
    "radiograph of the chest: pneumonia.",
    "ct of the liver.",
    "mri, brain",
) * 4
# the family of the published captioner, and its language model
KINDS = {
    "blip-2 over opt": ("Blip2", "opt"),
    "blip-2 over t5": ("Blip2", "t5"),
    "instructblip over llama": ("InstructBlip", "llama"),
    "instructblip over t5": ("InstructBlip", "t5"),
}
_VISION = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": SIZE,
    "patch_size": 8,
    "initializer_range": 0.3,  # or all images would look alike
}
_QFORMER = {
    "hidden_size": 12,
    "num_hidden_layers": 3,  # the second does not look at the image
    "num_attention_heads": 2,
    "intermediate_size": 20,
    "max_position_embeddings": 48,
    "initializer_range": 0.3,
}


def tokenizer(text: str) -> Any:
    """As the language model of a kind has it: OPT and Llama begin with a mark, T5 ends with one."""
    made = unigrams(TEXTS, ("<pad>", "</s>", "<unk>", "<s>"))
    front = {"opt": "</s> $A", "llama": "<s> $A", "t5": "$A </s>"}[text]
    made.post_processor = processors.TemplateProcessing(
        single=front, special_tokens=[("</s>", 1), ("<s>", 3)]
    )
    begin = {"opt": "</s>", "llama": "<s>"}.get(text)
    told = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "bos_token": begin}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **told)


def _text(kind: str, size: int) -> Any:
    marks = {"vocab_size": size, "eos_token_id": 1, "pad_token_id": 0}
    if kind == "t5":
        return transformers.T5Config(
            d_model=16, d_kv=8, d_ff=24, num_layers=1, num_heads=2, decoder_start_token_id=0,
            feed_forward_proj="gated-gelu", initializer_factor=1.0, **marks
        )  # fmt: skip
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    sizes |= {"max_position_embeddings": 96}
    if kind == "opt":
        return transformers.OPTConfig(
            ffn_dim=24, word_embed_proj_dim=16, bos_token_id=1, init_std=0.4, **sizes, **marks
        )
    return transformers.LlamaConfig(
        intermediate_size=24, bos_token_id=3, initializer_range=0.4, **sizes, **marks
    )


def whole(kind: str = "blip-2 over t5", seed: int = 0) -> Any:
    """A model of transformers."""
    family, text = KINDS[kind]
    torch.manual_seed(seed)
    words = tokenizer(text)
    hearing = {"vocab_size": 90} if family == "InstructBlip" else {}
    parts = {
        "vision_config": getattr(transformers, f"{family}VisionConfig")(**_VISION),
        "qformer_config": getattr(transformers, f"{family}QFormerConfig")(**_QFORMER, **hearing),
        "text_config": _text(text, len(words) + 1),
    }
    config = getattr(transformers, f"{family}Config")(
        **parts, num_query_tokens=QUERIES, image_token_index=len(words)
    )
    with quiet(transformers):
        model = shaken(getattr(transformers, f"{family}ForConditionalGeneration")(config))
    with torch.no_grad():
        model.query_tokens.normal_()
        model.language_model.lm_head.weight[1] *= 3.0  # or hardly a text would end
    return model


def saved(model: Any, folder: Path, kind: str, **options: Any) -> Path:
    """As its authors publish it: model, processor, and a tokenizer for each of those who read."""
    family, text = KINDS[kind]
    scaling = {key: SCALING[key] for key in ("image_mean", "image_std")}
    images = transformers.BlipImageProcessor(size={"height": SIZE, "width": SIZE}, **scaling)
    given: dict[str, Any] = {"num_query_tokens": QUERIES}
    if family == "InstructBlip":
        write_words(folder / "hearing")
        marks = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
        heard = transformers.PreTrainedTokenizerFast(tokenizer_object=_hearing(folder / "hearing"), **marks)
        given["qformer_tokenizer"] = heard
    with quiet(transformers):
        model.save_pretrained(folder, **options)
        getattr(transformers, f"{family}Processor")(images, tokenizer(text), **given).save_pretrained(folder)
    return folder


def _hearing(folder: Path) -> Any:
    """BERT's marks around the words."""
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made
