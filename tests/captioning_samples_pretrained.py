"""Published captioners in small: random weights in the layout that transformers saves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from published_samples import SCALING, SWIN, VISION, transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.decoders import WordPiece

from radcap.captioning.pretrained_settings import PretrainedSettings
from radcap.captioning.settings import (
    CaptionTrainSettings,
    DecoderSettings,
    GenerateSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.vision.settings import ImageSettings
from radcap.vision.transformers_library import quiet

__all__ = [
    "PLACES",
    "SIZE",
    "WORDS",
    "composed",
    "published",
    "saved",
    "shaken",
    "system",
    "whole",
    "write_words",
]

SIZE = 32
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{one}" for one in LETTERS), ".", ",", "-"]
WORDS += [str(one) for one in range(10)] + [f"##{one}" for one in range(10)]
PLACES, WIDTH = 40, 24
TEXT = {"hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
BERT = {
    "vocab_size": len(WORDS),
    "max_position_embeddings": PLACES,
    "initializer_range": 0.2,
    "pad_token_id": 0,
}
GPT2 = {
    "vocab_size": len(WORDS),
    "n_positions": PLACES,
    "n_embd": WIDTH,
    "n_layer": 2,
    "n_head": 2,
    "initializer_range": 0.2,
    "bos_token_id": 3,
    "eos_token_id": 3,
}


def write_words(folder: Path, words: list[str] = WORDS) -> Path:
    """A word-piece tokenizer of letters."""
    numbers = {word: number for number, word in enumerate(words)}
    made = Tokenizer(models.WordPiece(numbers, unk_token=words[1]))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = WordPiece()
    folder.mkdir(parents=True, exist_ok=True)
    made.save(str(folder / "tokenizer.json"))
    marks = {"pad_token": "[PAD]", "bos_token": "[CLS]", "eos_token": "[SEP]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(marks))
    return folder


def _vision(kind: str) -> Any:
    if kind == "ConvNext":
        return transformers.ConvNextConfig(
            hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, initializer_range=0.3
        )
    if kind == "Cvt":
        return transformers.CvtConfig(
            embed_dim=[8, 8, 16], num_heads=[1, 1, 2], depth=[1, 2, 3], hidden_size=16
        )
    return getattr(transformers, f"{kind}Config")(**(SWIN if kind == "Swin" else VISION))


def _text(kind: str, **changes: Any) -> Any:
    more = {"is_decoder": True, "add_cross_attention": True} | changes
    if kind == "GPT2":
        return transformers.GPT2Config(**GPT2 | more)
    return getattr(transformers, f"{kind}Config")(**TEXT | BERT | more)


def shaken(model: Any) -> Any:
    """Norms and biases too are no longer what they begin with."""
    with torch.no_grad():
        for value in model.parameters():
            value.add_(torch.randn_like(value) * 0.05)
    return model.eval()


def whole(kind: str = "GPT2", eyes: str = "ViT", seed: int = 0, **changes: Any) -> Any:
    """A model of transformers: `Blip`, or `eyes` under a text side of this kind."""
    torch.manual_seed(seed)
    if kind == "Blip":
        text = TEXT | BERT | {"encoder_hidden_size": 16, "bos_token_id": 2, "sep_token_id": 3} | changes
        config = transformers.BlipConfig(vision_config=dict(VISION), text_config=text)
        return shaken(transformers.BlipForConditionalGeneration(config))
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(
        _vision(eyes), _text(kind, **changes)
    )
    model = transformers.VisionEncoderDecoderModel(config)
    told = model.generation_config
    told.decoder_start_token_id, told.eos_token_id, told.pad_token_id = 2, 3, 0
    return shaken(model)


def saved(model: Any, folder: Path, **options: Any) -> Path:
    """In the layout of a published folder."""
    with quiet(transformers):
        model.save_pretrained(folder, **options)
    (folder / "preprocessor_config.json").write_text(json.dumps(SCALING))
    return write_words(folder)


def published(folder: Path, kind: str = "GPT2", eyes: str = "ViT", **changes: Any) -> Path:
    return saved(whole(kind, eyes, **changes), folder)


def composed(folder: Path, eyes: str = "ViT", text: str = "GPT2", **tables: Any) -> CaptionSystem:
    """An image encoder and a language model in folders of their own."""
    torch.manual_seed(1)
    looks, words = folder / "eyes", folder / "text"
    with quiet(transformers):
        shaken(getattr(transformers, f"{eyes}Model")(_vision(eyes))).save_pretrained(looks)
        plain = _text(text, is_decoder=False, add_cross_attention=False)
        kind = {"GPT2": "GPT2LMHeadModel", "Bert": "BertForMaskedLM"}[text]
        shaken(getattr(transformers, kind)(plain)).save_pretrained(words)
    (looks / "preprocessor_config.json").write_text(json.dumps(SCALING))
    given = {"eyes": str(looks)} | dict(tables.pop("pretrained", {}))
    return system(write_words(words), pretrained=given, **tables)


def system(model: Path | str = "", kind: str = "encoder-decoder", **tables: Any) -> CaptionSystem:
    """A captioner that begins with a published one."""
    given: dict[str, Any] = {
        "image": ImageSettings(size=SIZE),
        "train": CaptionTrainSettings(epochs=1, batch=16, lr=1e-3),
        "generate": GenerateSettings(method="greedy", longest=12),
    } | tables
    given["decoder"] = DecoderSettings(**({"kind": kind, "longest": 30} | dict(given.get("decoder", {}))))
    begun: dict[str, Any] = {"model": str(model)} if model else {}
    given["pretrained"] = PretrainedSettings(**(begun | dict(given.get("pretrained", {}))))
    return CaptionSystem(name="tiny", task="captions", **given)
