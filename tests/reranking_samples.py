"""Text and dual encoders in small, in the layouts that others publish."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from published_samples import SIZE, TIMM, model, open_clip_folder, saved, transformers
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from radcap.vision.backbones import medclip as published
from radcap.vision.backbones import towers
from radcap.vision.backbones.timm_networks import timm_module
from radcap.vision.transformers_library import quiet

__all__ = [
    "BERT",
    "TEXTS",
    "bert_folder",
    "bert_model",
    "biomedclip",
    "clip_folder",
    "letters",
    "medclip",
    "save_tokens",
    "tokens",
]

WORDS = ("<s>", "</s>", "<pad>", "[UNK]", "bright", "dark", "ct", "mri", "of", "the", "lung", "liver")
TEXTS = ["bright ct", "dark mri of the liver", "ct of the lung", "something else"]
BERT = {
    "vocab_size": 20,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 1,
    "intermediate_size": 32,
    "max_position_embeddings": 24,
    "initializer_range": 0.3,
}


def tokens() -> Any:
    """Words between marks."""
    marks = dict(zip(("bos_token", "eos_token", "pad_token", "unk_token"), WORDS, strict=False))
    made = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, WORDS[3]))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **marks, model_max_length=24)


def letters() -> Any:
    """As SigLIP 2 reads, which has a tokenizer of its own."""
    marks = ("<pad>", "<eos>", "<bos>", "<unk>")
    known = {one: place for place, one in enumerate((*marks, *"abcdefghilmort"))}
    return transformers.Siglip2Tokenizer(vocab=known, merges=[])


def save_tokens(folder: Path, kind: str = "") -> Path:
    (letters() if kind == "Siglip2" else tokens()).save_pretrained(folder)
    return folder


def clip_folder(folder: Path, kind: str = "CLIP", **scaling: Any) -> Path:
    """CLIP or SigLIP as transformers saves it."""
    return save_tokens(saved(model(kind), folder, **scaling), kind)


def bert_model(seed: int = 0, kind: str = "Bert") -> Any:
    torch.manual_seed(seed)
    config = getattr(transformers, f"{kind}Config")(**BERT)
    return getattr(transformers, f"{kind}Model")(config, add_pooling_layer=False).eval()


def bert_folder(folder: Path) -> Path:
    """As a text encoder lies on the hub: below another head, with the names of its task."""
    torch.manual_seed(0)
    with quiet(transformers):
        made = transformers.BertForMaskedLM(transformers.BertConfig(**BERT))
        made.bert.load_state_dict(bert_model().state_dict())
        made.save_pretrained(folder)
    return save_tokens(folder)


def biomedclip(folder: Path, *, safe: bool = True, **changes: Any) -> Path:
    """A tower of timm with a projection, and a BERT with two layers after it."""
    torch.manual_seed(0)
    trunk: Any = timm_module().create_model("test_vit", num_classes=0, img_size=SIZE)
    weights = {f"visual.trunk.{name}": one for name, one in trunk.state_dict().items()}
    weights["visual.head.proj.weight"] = torch.randn(12, trunk.num_features)
    weights |= {f"text.transformer.{name}": one for name, one in bert_model().state_dict().items()}
    weights |= {"text.proj.0.weight": torch.randn(38, 64), "text.proj.2.weight": torch.randn(12, 38)}
    text = {"hf_pooler_type": "cls_last_hidden_state_pooler", "context_length": 8}
    tower = {**TIMM, "image_size": SIZE}
    folder = open_clip_folder(folder, weights, tower, safe=safe, **({"text_cfg": text} | changes))
    return save_tokens(folder)


def medclip(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Weights alone, of a small Swin and a BERT; the real one's geometry stands in the code."""
    made = model("Swin")
    kept = ("image_size", "patch_size", "embed_dim", "depths", "num_heads", "window_size")
    config = {"model_type": "swin", **{one: getattr(made.config, one) for one in kept}}
    mean, spread, name = (getattr(published.MEDCLIP, one) for one in ("mean", "spread", "projection"))
    monkeypatch.setattr(towers, "MEDCLIP", published.MedClip(config, mean, spread, name))
    torch.manual_seed(0)
    weights = {f"vision_model.model.{name}": one for name, one in made.state_dict().items()}
    weights |= {f"text_model.model.{name}": one for name, one in bert_model().state_dict().items()}
    weights[name] = torch.randn(12, made.config.hidden_size)
    weights["text_model.projection_head.weight"] = torch.randn(12, 64)
    folder.mkdir()
    torch.save(weights, folder / "pytorch_model.bin")
    return save_tokens(folder)
