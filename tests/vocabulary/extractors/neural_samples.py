"""Tiny models in the file layout of the Hugging Face library: a word list, settings, weights in safetensors.

Their weights are drawn at random, but for the last layers: the tagger calls every word that is not 'the' an
entity of its own, and the reranker finds every pair equally likely.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch

from radcap.vision.torchvision_ops import ensure_torchvision

ensure_torchvision()
from transformers import (  # noqa: E402 - it imports torchvision
    BertConfig,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["WIDTH", "write_models"]

WIDTH = 16
_WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "of",
    "no",
    "heart",
    "chest",
    "ct",
    "pleural",
    "effusion",
    "effusions",
    "pleura",
    "computed",
    "tomography",
    "structure",
    "entire",
    "x",
    "-",
    "ray",
    ".",
    ",",
]
_LABELS = {0: "O", 1: "B-FINDING", 2: "I-FINDING"}


def write_models(folder: Path, *, reranker_labels: int = 2, likely: float = 0.0) -> dict[str, str]:
    """The folders of the three models; `likely` is the last bias of the reranker."""
    torch.manual_seed(0)
    models: dict[str, Any] = {
        "ner": BertForTokenClassification(_config(num_labels=3, id2label=_LABELS)),
        "linker": BertModel(_config()),
        "reranker": BertForSequenceClassification(_config(num_labels=reranker_labels)),
    }
    with torch.no_grad():
        _tag_words(models["ner"])
        for name, values in models["linker"].named_parameters():
            if "query" in name:  # every word is attended to alike, so that the first vector holds all of them
                values.zero_()
        models["reranker"].classifier.weight.zero_()
        models["reranker"].classifier.bias.zero_()
        models["reranker"].classifier.bias[-1] = likely
    for name, model in models.items():
        model.save_pretrained(folder / name)
        (folder / name / "vocab.txt").write_text("\n".join(_WORDS), encoding="utf-8")
        (folder / name / "README.md").write_text("A tiny model.", encoding="utf-8")
        settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
        (folder / name / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return {name: str(folder / name) for name in models}


def _config(**more: Any) -> BertConfig:
    return BertConfig(
        vocab_size=len(_WORDS),
        hidden_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
        initializer_range=1.0,  # so that words differ by more than half floats can hold
        **more,
    )


def _tag_words(tagger: BertForTokenClassification) -> None:
    """Let one number of a word's vector decide: the layers between are passed unchanged."""
    encoder: Any = tagger.bert
    for name, values in encoder.encoder.named_parameters():
        if not name.endswith("LayerNorm.weight"):
            values.zero_()
    for values in encoder.embeddings.parameters():
        values.zero_()
    encoder.embeddings.LayerNorm.weight.fill_(1.0)
    words = encoder.embeddings.word_embeddings.weight
    words[:, 0] = 1.0
    words[_WORDS.index("the"), 0] = -1.0
    tagger.classifier.weight.zero_()
    tagger.classifier.weight[0, 0] = -8.0
    tagger.classifier.bias.zero_()
    tagger.classifier.bias[1] = 1.0
