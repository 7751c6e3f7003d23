"""Tiny encoder-decoder language models in the layout of Hugging Face: T5, BART and Pegasus."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from captioning_samples_lm import save_model

from radcap.vision.torchvision_ops import ensure_torchvision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = [
    "KINDS",
    "LONGEST",
    "VOCABULARY",
    "bart",
    "pegasus",
    "save_seq2seq",
    "t5",
    "unigrams",
    "write_unigrams",
]

VOCABULARY, LONGEST = 40, 32  # tokens, and places of those that have places


def t5(*, vocabulary: int = VOCABULARY, **changes: Any) -> Any:
    """As Flan-T5: gated, with an output of its own."""
    ensure_torchvision()
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(5)
    sizes = {"d_model": 16, "d_kv": 6, "d_ff": 24, "num_layers": 2, "num_decoder_layers": 1, "num_heads": 2}
    about = {"vocab_size": vocabulary, "feed_forward_proj": "gated-gelu", "decoder_start_token_id": 0}
    config = T5Config(
        **{**sizes, **about, "tie_word_embeddings": False, "initializer_factor": 3.0, **changes}
    )
    model = T5ForConditionalGeneration(config).eval()
    with torch.no_grad():  # a head of its own, as Flan-T5 has it
        model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.lm_head.weight))
        model.lm_head.weight[1] *= 2.5  # or hardly a text would end
    return model


def _sizes(**changes: Any) -> dict[str, Any]:
    """Of the two families that came after BART."""
    parts = {f"{part}_{name}": value for part in ("encoder", "decoder") for name, value in _LAYERS.items()}
    about = {"vocab_size": VOCABULARY, "d_model": 16, "max_position_embeddings": LONGEST, "init_std": 0.4}
    return {**parts, **about, **changes}


_LAYERS = {"layers": 1, "attention_heads": 2, "ffn_dim": 24}


def bart(**changes: Any) -> Any:
    """As BioBART: a caption begins with two marks."""
    ensure_torchvision()
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    torch.manual_seed(6)
    model = BartForConditionalGeneration(BartConfig(**_sizes(scale_embedding=True, **changes))).eval()
    model.generation_config.forced_bos_token_id = 0
    model.final_logits_bias[0, 2] += 3.0  # or hardly a text would end
    return model


def pegasus(**changes: Any) -> Any:
    """Its encoder multiplies vectors of tokens, and not those that are given."""
    ensure_torchvision()
    import torch
    from transformers import PegasusConfig, PegasusForConditionalGeneration

    torch.manual_seed(7)
    model = PegasusForConditionalGeneration(PegasusConfig(**_sizes(scale_embedding=True, **changes))).eval()
    model.final_logits_bias[0, 1] += 2.5  # or hardly a text would end
    return model


KINDS: dict[str, Callable[[], Any]] = {"t5": t5, "bart": bart, "pegasus": pegasus}


def save_seq2seq(model: Any, folder: Path, **options: Any) -> Path:
    """As transformers saves it; the output of Flan-T5 is not tied, and its config.json says so."""
    save_model(model, folder, **options)
    path = folder / "config.json"
    held = json.loads(path.read_text())
    if held["model_type"] == "t5":
        path.write_text(json.dumps({**held, "tie_word_embeddings": False}))
    return folder


def unigrams(texts: tuple[str, ...], marks: tuple[str, ...]) -> Any:
    """A tokenizer as T5 has it: all letters of some texts, and their words; the third mark is unknown."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    words = sorted({f"\u2581{word}" for text in texts for word in text.split()})[::3]
    letters = sorted({letter for text in texts for letter in text if letter != " "} | {"\u2581"})
    pieces = [(one, 0.0) for one in marks] + [(one, -2.0) for one in words] + [(one, -4.0) for one in letters]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
    tokenizer.add_special_tokens([AddedToken(one, special=True) for one in marks])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def write_unigrams(folder: Path, texts: tuple[str, ...]) -> int:
    """A tokenizer as T5 has it, in its file; its size."""
    marks = ("<pad>", "</s>", "<unk>")
    tokenizer = unigrams(texts, marks)
    tokenizer.save(str(folder / "tokenizer.json"))
    told = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(told))
    return tokenizer.get_vocab_size()
