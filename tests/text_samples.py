"""Vision-language models so small that a test can make them, in the layout that others publish."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from radcap.detection.text import Text
from radcap.vision.torchvision_ops import ensure_torchvision

ensure_torchvision()
import transformers  # noqa: E402 - torchvision must load first
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402

WORDS = (
    "chest",
    "pelvis",
    "spine",
    "breast",
    "abdomen",
    "angiogram",
    "ultrasonography",
    "no",
    ",",
    "sagittal",
)
_SPECIAL = 7  # tokens before the words
CHAT = (
    "{% for m in messages %}{{ m['role'] }} {% for c in m['content'] %}{% if c['type'] == 'image' %}<image> "
    "{% else %}{{ c['text'] }} {% endif %}{% endfor %}{% endfor %}assistant"
)


def text(**given: Any) -> Text:
    settings: dict[str, Any] = {"words": "dataset"} | given
    return Text(**settings)


def llava(folder: Path, chat: str | None = CHAT, words: Sequence[str] = WORDS) -> Path:
    """A vision tower of CLIP, a decoder of Llama, and a projector between them, all of random weights."""
    tokenizer = _tokenizer(words)
    looks = transformers.CLIPImageProcessor(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
    processor = transformers.LlavaProcessor(
        looks,
        tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=chat,
    )
    layers: dict[str, Any] = {"hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2}
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(
            num_hidden_layers=2, image_size=16, patch_size=8, **layers
        ),
        text_config=transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            num_hidden_layers=1,
            bos_token_id=2,
            eos_token_id=3,
            pad_token_id=1,
            initializer_range=0.5,
            **layers,
        ),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-2,
    )
    return _saved(folder, processor, transformers.LlavaForConditionalGeneration, config)


def blip(folder: Path, words: Sequence[str] = WORDS) -> Path:
    """BLIP has no chat, and its processor no sign for images."""
    vocabulary = {
        word: n for n, word in enumerate(["[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", *words, "this"])
    }
    looks = transformers.BlipImageProcessor(size={"height": 16, "width": 16})
    processor = transformers.BlipProcessor(looks, transformers.BertTokenizer(vocabulary))
    layers: dict[str, Any] = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_attention_heads": 2,
        "num_hidden_layers": 1,
    }
    numbers: dict[str, Any] = {"bos_token_id": 2, "eos_token_id": 3, "sep_token_id": 3, "pad_token_id": 1}
    # with the default range of weights every image would look the same to it
    vision: dict[str, Any] = {"image_size": 16, "patch_size": 8, "initializer_range": 0.2, **layers}
    reads: dict[str, Any] = {"vocab_size": len(vocabulary), "encoder_hidden_size": 16, "projection_dim": 16}
    config = transformers.BlipConfig(
        vision_config=vision, text_config={**reads, "initializer_range": 0.3, **layers, **numbers}
    )
    return _saved(folder, processor, transformers.BlipForConditionalGeneration, config)


def _saved(folder: Path, processor: Any, kind: Any, config: Any) -> Path:
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(0)
    model = kind(config)
    if hasattr(model, "lm_head"):
        model.lm_head.weight.data[:_SPECIAL] = 0  # or some of them would end every answer at once
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _tokenizer(words: Sequence[str]) -> Any:
    every = ["<unk>", "<pad>", "<s>", "</s>", "<image>", "user", "assistant", *words]
    unknown, padding, begin, end = every[:4]
    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(every)}, unk_token=unknown))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        unk_token=unknown,
        pad_token=padding,
        bos_token=begin,
        eos_token=end,
        extra_special_tokens={"image_token": "<image>"},
    )
