"""Tiny language models that are asked in words, as transformers saves them, with a tokenizer of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from captioning_samples_lm import SIZES, save_model, tiny_model

from radcap.captioning.joining_settings import RefineSettings
from radcap.captioning.language import make_generator
from radcap.vision.torchvision_ops import ensure_torchvision
from radcap.vision.training import Place

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.captioning.language.local_model import LocalModel

__all__ = ["TEMPLATE", "asked_of", "causal_folder", "seq2seq_folder", "write_words"]

TEMPLATE = "{% for one in messages %}<s>{{ one.role }}:{{ one.content }}{% endfor %}<s>answer:"
_MARKS = ["<pad>", "</s>", "<s>"]
_SMALL: dict[str, Any] = {
    "d_model": 16,
    "vocab_size": SIZES["vocab_size"],
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
}
_LAYERED = {
    **{f"{side}_{part}": 2 for side in ("encoder", "decoder") for part in ("layers", "attention_heads")},
    **{f"{side}_ffn_dim": 32 for side in ("encoder", "decoder")},
    "max_position_embeddings": 600,
    "init_std": 0.4,
    "forced_eos_token_id": 1,
}


def write_words(folder: Path, *, ends: bool, template: str | None = None) -> None:
    """Each byte is a token; `ends` where a text is closed with the end mark, as encoders want it."""
    ensure_torchvision()
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {one: number for number, one in enumerate([*_MARKS, *letters])}
    words = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    if ends:
        words.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    pad, end, begin = _MARKS
    held = PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token=pad, eos_token=end, additional_special_tokens=[begin]
    )
    held.chat_template = template
    held.save_pretrained(folder)


def causal_folder(folder: Path, template: str | None = None, **changes: Any) -> Path:
    """A Llama."""
    given = {"max_position_embeddings": 800, "eos_token_id": 1, "bos_token_id": 2} | changes
    save_model(tiny_model(**given), folder)
    write_words(folder, ends=False, template=template)
    return folder


def seq2seq_folder(folder: Path, kind: str = "T5", **changes: Any) -> Path:
    """A T5, Bart or Pegasus."""
    ensure_torchvision()
    import torch
    import transformers

    own = {"d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2, "initializer_factor": 2.0}
    torch.manual_seed(7)
    config = getattr(transformers, f"{kind}Config")(**_SMALL | (own if kind == "T5" else _LAYERED) | changes)
    save_model(getattr(transformers, f"{kind}ForConditionalGeneration")(config).eval(), folder)
    write_words(folder, ends=True)
    return folder


def asked_of(folder: Path, **settings: Any) -> LocalModel:
    """The model of a folder, on the CPU."""
    import torch

    wanted = RefineSettings(**{"kind": "rewrite", "model": str(folder), "longest": 12, "batch": 3} | settings)
    found: Any = make_generator(wanted, Place(torch.device("cpu")), seed=3)
    return found
