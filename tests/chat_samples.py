"""Chat vision-language models so small that a test can make them, in the layouts that others publish.

Weights are drawn, wide enough that pictures and words matter; tokens are bytes and a few pieces of words.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Any

import torch

from radcap.captioning.chats.chat import Chat, chat_of
from radcap.captioning.chats.geometries import learnt_tokenizer
from radcap.detection.text.vlm_opening import open_vlm
from radcap.vision.torchvision_ops import ensure_torchvision
from radcap.vision.training import Place

ensure_torchvision()  # before transformers, which is typed in part
transformers: Any = importlib.import_module("transformers")

torch.set_num_threads(1)  # networks this small only wait for threads

CPU = Place(torch.device("cpu"))
TEXTS = ("CT of the chest, axial.", "MRI of the brain.", "Radiograph showing pneumonia.") * 3
_ASKED = "{% if add_generation_prompt %}"
_QWEN = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% for c in m['content'] %}"
    "{% if c['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ c['text'] }}"
    "{% endif %}{% endfor %}<|im_end|>\n{% endfor %}" + _ASKED + "<|im_start|>assistant\n{% endif %}"
)
_GEMMA = (
    "{{ bos_token }}{% for m in messages %}<start_of_turn>"
    "{{ 'model' if m['role'] == 'assistant' else m['role'] }}\n{% for c in m['content'] %}"
    "{% if c['type'] == 'image' %}<start_of_image>{% else %}{{ c['text'] | trim }}{% endif %}"
    "{% endfor %}<end_of_turn>\n{% endfor %}" + _ASKED + "<start_of_turn>model\n{% endif %}"
)
_IDEFICS = (
    "<|im_start|>{% for m in messages %}{{ m['role'] | capitalize }}:{% for c in m['content'] %}"
    "{% if c['type'] == 'image' %}<image>{% else %} {{ c['text'] }}{% endif %}"
    "{% endfor %}<end_of_utterance>\n{% endfor %}" + _ASKED + "Assistant:{% endif %}"
)
_WIDTHS: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "initializer_range": 0.2,
}
_EYES: dict[str, Any] = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "initializer_range": 0.2,
}


def qwen2_vl(folder: Path) -> Path:
    """Patches of 4 pixels, of which 2 x 2 become a token; a token has a place in three directions."""
    marks = ("<|endoftext|>", "<|im_end|>", "<|im_start|>", "<|vision_start|>", "<|vision_end|>")
    tokenizer = learnt_tokenizer(TEXTS, 320, (*marks, "<|image_pad|>", "<|video_pad|>"))
    cut = {"patch_size": 4, "merge_size": 2, "temporal_patch_size": 2}
    looks = transformers.Qwen2VLImageProcessor(min_pixels=32 * 32, max_pixels=64 * 64, **cut)
    films = transformers.Qwen2VLVideoProcessor(**cut)
    places = {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 10000.0}
    config = transformers.Qwen2VLConfig(
        text_config={
            **_WIDTHS,
            "vocab_size": len(tokenizer),
            "rope_parameters": places,
            "bos_token_id": 0,
            "eos_token_id": 1,
            "pad_token_id": 0,
        },
        vision_config={
            "depth": 2,
            "embed_dim": 16,
            "hidden_size": 32,
            "num_heads": 2,
            "mlp_ratio": 2,
            "patch_size": 4,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "initializer_range": 0.2,
        },
        **{
            f"{name}_token_id": tokenizer.convert_tokens_to_ids(f"<|{mark}|>")
            for name, mark in (
                ("image", "image_pad"),
                ("video", "video_pad"),
                ("vision_start", "vision_start"),
                ("vision_end", "vision_end"),
            )
        },
        tie_word_embeddings=True,
    )
    processor = transformers.Qwen2VLProcessor(looks, tokenizer, films, chat_template=_QWEN)
    return _saved(folder, processor, transformers.Qwen2VLForConditionalGeneration, config, [1, 0])


def gemma3(folder: Path) -> Path:
    """16 tokens for an image, which see each other; half of the layers look a little way back alone."""
    marks = (
        "<pad>",
        "<eos>",
        "<bos>",
        "<start_of_turn>",
        "<end_of_turn>",
        "<start_of_image>",
        "<end_of_image>",
    )
    tokenizer = learnt_tokenizer(TEXTS, 320, (*marks, "<image_soft_token>"))
    names = {
        "boi_token": "<start_of_image>",
        "eoi_token": "<end_of_image>",
        "image_token": "<image_soft_token>",
    }
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer.backend_tokenizer,
        **dict(zip(("pad_token", "eos_token", "bos_token"), marks[:3], strict=True)),
        extra_special_tokens=names,
        additional_special_tokens=["<start_of_turn>", "<end_of_turn>"],
    )
    looks = transformers.Gemma3ImageProcessor(size={"height": 32, "width": 32})
    number = tokenizer.convert_tokens_to_ids
    config = transformers.Gemma3Config(
        text_config={
            **_WIDTHS,
            "vocab_size": len(tokenizer),
            "head_dim": 8,
            "query_pre_attn_scalar": 8,
            "sliding_window": 16,
            "layer_types": ["sliding_attention", "full_attention"],
            "pad_token_id": 0,
            "eos_token_id": 1,
            "bos_token_id": 2,
        },
        vision_config={**_EYES, "image_size": 32, "patch_size": 4, "model_type": "siglip_vision_model"},
        mm_tokens_per_image=16,
        boi_token_index=number("<start_of_image>"),
        eoi_token_index=number("<end_of_image>"),
        image_token_index=number("<image_soft_token>"),
    )
    processor = transformers.Gemma3Processor(looks, tokenizer, chat_template=_GEMMA, image_seq_length=16)
    kind = transformers.Gemma3ForConditionalGeneration
    return _saved(folder, processor, kind, config, [1, number("<end_of_turn>")])


def idefics3(folder: Path, *, parts: bool = False) -> Path:
    """A blank stands before the answer; the image is one picture, or cut into several beside a small one."""
    marks = ("<pad>", "<end_of_utterance>", "<|im_start|>", "<fake_token_around_image>", "<global-img>")
    rows = [f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2)]
    tokenizer = learnt_tokenizer(TEXTS, 320, (*marks, "<image>", *rows))
    looks = transformers.Idefics3ImageProcessor(
        size={"longest_edge": 64 if parts else 32},
        max_image_size={"longest_edge": 32},
        do_image_splitting=parts,
    )
    config = transformers.Idefics3Config(
        text_config={**_WIDTHS, "model_type": "llama", "vocab_size": len(tokenizer), "pad_token_id": 0},
        vision_config={**_EYES, "image_size": 32, "patch_size": 4},
        scale_factor=2,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        pad_token_id=0,
        tie_word_embeddings=False,
    )
    processor = transformers.Idefics3Processor(looks, tokenizer, image_seq_len=16, chat_template=_IDEFICS)
    return _saved(folder, processor, transformers.Idefics3ForConditionalGeneration, config, [1])


MAKERS = {"qwen2-vl": qwen2_vl, "gemma-3": gemma3, "idefics3": idefics3}


def _saved(folder: Path, processor: Any, kind: Any, config: Any, ends: list[int]) -> Path:
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(0)
    model = kind(config)
    for name, weight in model.named_parameters():
        if "mm_input_projection" in name:  # Gemma's is 0 before it learns, and no image would matter
            torch.nn.init.normal_(weight, std=0.5)
    model.generation_config = transformers.GenerationConfig(
        eos_token_id=ends, pad_token_id=0, do_sample=True, top_k=1, repetition_penalty=1.05
    )
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


@cache
def pictures(count: int = 3, size: int = 40) -> torch.Tensor:
    """Pixels of noise, each picture brighter than the one before."""
    lots = torch.Generator().manual_seed(3)
    noise = torch.rand(count, 3, size, size, generator=lots)
    return (noise * torch.linspace(60, 255, count)[:, None, None, None]).round()


def opened(folder: Path) -> Chat:
    return chat_of(open_vlm(str(folder), CPU))
